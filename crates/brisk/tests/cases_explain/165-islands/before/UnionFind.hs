module UnionFind (Forest, newForest, find, union, groupSize) where

import Control.Monad.ST
import Data.Array.ST

-- An entry is the parent of the node, or the negated size of the group if the
-- node is the root of it.
newtype Forest s = Forest (STArray s Int Int)

newForest :: Int -> ST s (Forest s)
newForest n = Forest <$> newArray (0, n - 1) (-1)

find :: Forest s -> Int -> ST s Int
find forest@(Forest table) x = do
  p <- readArray table x
  if p < 0
    then return x
    else do
      g <- readArray table p
      if g < 0
        then return p
        else do
          writeArray table x $! g
          find forest g

groupSize :: Forest s -> Int -> ST s Int
groupSize forest@(Forest table) x = do
  root <- find forest x
  negate <$> readArray table root

union :: Forest s -> Int -> Int -> ST s Bool
union forest@(Forest table) x y = do
  a <- find forest x
  b <- find forest y
  if a == b
    then return False
    else do
      sa <- readArray table a
      sb <- readArray table b
      let (top, low) = if sa <= sb then (a, b) else (b, a)
      writeArray table low $! top
      writeArray table top $! sa + sb
      return True
