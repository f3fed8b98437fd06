module DisjointSet
  ( DisjointSet
  , singletons
  , union
  , joined
  , count
  ) where

import Data.Array

data DisjointSet = DisjointSet
  { parents :: !(Array Int Int)
  , ranks :: !(Array Int Int)
  }

singletons :: Int -> DisjointSet
singletons n =
  DisjointSet (listArray (0, n - 1) [0 ..]) (listArray (0, n - 1) (repeat 0))

find :: Int -> DisjointSet -> Int
find x d
  | p == x = x
  | otherwise = find p d
  where
    p = parents d ! x

union :: Int -> Int -> DisjointSet -> DisjointSet
union a b d
  | ra == rb = d
  | rankA < rankB = d {parents = parents d // [(ra, rb)]}
  | rankA > rankB = d {parents = parents d // [(rb, ra)]}
  | otherwise =
      d
        { parents = parents d // [(rb, ra)]
        , ranks = ranks d // [(ra, rankA + 1)]
        }
  where
    ra = find a d
    rb = find b d
    rankA = ranks d ! ra
    rankB = ranks d ! rb

joined :: Int -> Int -> DisjointSet -> Bool
joined a b d = find a d == find b d

count :: DisjointSet -> Int
count d = length (filter (uncurry (==)) (assocs (parents d)))
