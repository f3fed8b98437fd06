module Usage (Totals (..), usage) where

import Control.Monad (when)
import Control.Monad.Trans.Writer
import Data.List (isSuffixOf)

import FileTree

data Totals = Totals
  { files   :: !Int
  , bytes   :: !Int
  , largest :: !Int
  , sources :: !Int
  } deriving (Show, Eq)

instance Semigroup Totals where
  Totals f b l s <> Totals f' b' l' s' = Totals (f + f') (b + b') (max l l') (s + s')

instance Monoid Totals where
  mempty = Totals 0 0 0 0

-- | The totals of a tree, and how many directories it has.
usage :: Node -> (Int, Totals)
usage = runWriter . walk

walk :: Node -> Writer Totals Int
walk (File name size) = do
  tell mempty { files = 1, bytes = size, largest = size }
  when (".hs" `isSuffixOf` name) $
    tell mempty { sources = 1 }
  return 0
walk (Dir _ entries) = do
  below <- mapM walk entries
  return $! 1 + sum below
