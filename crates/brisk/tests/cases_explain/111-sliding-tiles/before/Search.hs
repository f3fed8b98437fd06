module Search (layers) where

import Data.List (foldl')
import qualified Data.Set as Set
import Data.Set (Set)

import Board

-- | Breadth-first layers from a starting position.
layers :: Board -> [[Board]]
layers start = go (Set.singleton start) [start]
  where
    go _ [] = []
    go seen front = front : go seen' (reverse next)
      where
        (seen', next) = foldl' visit (seen, []) (concatMap neighbours front)

visit :: (Set Board, [Board]) -> Board -> (Set Board, [Board])
visit (seen, acc) b
  | b `Set.member` seen = (seen, acc)
  | otherwise = (Set.insert b seen, b : acc)
