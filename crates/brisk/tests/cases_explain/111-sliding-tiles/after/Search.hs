module Search (layers) where

import Data.List (foldl')
import qualified Data.IntSet as Set
import Data.IntSet (IntSet)

import Board

-- | Breadth-first layers from a starting position.
layers :: Board -> [[Board]]
layers start = go (Set.singleton (packed start)) [start]
  where
    go _ [] = []
    go seen front = front : go seen' (reverse next)
      where
        (seen', next) = foldl' visit (seen, []) (concatMap neighbours front)

visit :: (IntSet, [Board]) -> Board -> (IntSet, [Board])
visit (seen, acc) b
  | k `Set.member` seen = (seen, acc)
  | otherwise = (Set.insert k seen, b : acc)
  where k = packed b
