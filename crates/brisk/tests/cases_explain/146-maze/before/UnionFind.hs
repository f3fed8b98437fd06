module UnionFind (Forest, singletons, find, union) where

import Data.Array

type Forest = Array Int Int

singletons :: Int -> Forest
singletons n = listArray (0, n - 1) [0 .. n - 1]

find :: Forest -> Int -> Int
find f x
  | p == x    = x
  | otherwise = find f p
  where p = f ! x

union :: Forest -> Int -> Int -> Forest
union f a b
  | a < b     = f // [(b, a)]
  | otherwise = f // [(a, b)]
