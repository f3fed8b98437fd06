module DisjointSet
  ( DisjointSet
  , singletons
  , union
  , joined
  , count
  ) where

import Data.IntMap.Strict (IntMap, (!))
import qualified Data.IntMap.Strict as IntMap

data DisjointSet = DisjointSet
  { parents :: !(IntMap Int)
  , ranks :: !(IntMap Int)
  }

singletons :: Int -> DisjointSet
singletons n =
  DisjointSet
    (IntMap.fromDistinctAscList [(i, i) | i <- [0 .. n - 1]])
    (IntMap.fromDistinctAscList [(i, 0) | i <- [0 .. n - 1]])

find :: Int -> DisjointSet -> Int
find x d
  | p == x = x
  | otherwise = find p d
  where
    p = parents d ! x

union :: Int -> Int -> DisjointSet -> DisjointSet
union a b d
  | ra == rb = d
  | rankA < rankB = d {parents = IntMap.insert ra rb (parents d)}
  | rankA > rankB = d {parents = IntMap.insert rb ra (parents d)}
  | otherwise =
      d
        { parents = IntMap.insert rb ra (parents d)
        , ranks = IntMap.insert ra (rankA + 1) (ranks d)
        }
  where
    ra = find a d
    rb = find b d
    rankA = ranks d ! ra
    rankB = ranks d ! rb

joined :: Int -> Int -> DisjointSet -> Bool
joined a b d = find a d == find b d

count :: DisjointSet -> Int
count d = length (filter (uncurry (==)) (IntMap.assocs (parents d)))
