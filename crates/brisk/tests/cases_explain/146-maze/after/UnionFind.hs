module UnionFind (Forest, singletons, find, union) where

import Control.Monad.ST
import Data.Array.ST

type Forest s = STUArray s Int Int

singletons :: Int -> ST s (Forest s)
singletons n = newListArray (0, n - 1) [0 .. n - 1]

find :: Forest s -> Int -> ST s Int
find f x = do
  p <- readArray f x
  if p == x then return x else find f p

union :: Forest s -> Int -> Int -> ST s ()
union f a b
  | a < b     = writeArray f b a
  | otherwise = writeArray f a b
