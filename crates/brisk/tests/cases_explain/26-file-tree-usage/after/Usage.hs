module Usage
  ( Usage (..)
  , usage
  ) where

import Control.Monad.State.Strict
import FileTree

data Usage = Usage
  { files :: !Int
  , bytes :: !Int
  }

type Count = State Usage

file :: Int -> Count ()
file size = modify' (\u -> Usage (files u + 1) (bytes u + size))

walk :: Tree -> Count ()
walk (File size) = file size
walk (Directory ts) = mapM_ walk ts

usage :: Tree -> Usage
usage t = execState (walk t) (Usage 0 0)
