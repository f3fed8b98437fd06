module Usage
  ( Usage (..)
  , usage
  ) where

import Control.Monad.Writer
import FileTree

data Usage = Usage
  { files :: !Int
  , bytes :: !Int
  }

type Count = Writer (Sum Int, Sum Int)

file :: Int -> Count ()
file size = tell (Sum 1, Sum size)

walk :: Tree -> Count ()
walk (File size) = file size
walk (Directory ts) = mapM_ walk ts

usage :: Tree -> Usage
usage t = Usage n size
  where
    (Sum n, Sum size) = execWriter (walk t)
