module Search (distances, Layer) where

import Data.List (foldl')
import qualified Data.Set as Set

import Grid

type Layer = (Int, [Pos])

-- | The fields of the cave by their distance from the start.
distances :: Cave -> Pos -> [Layer]
distances cave start = flood 0 [start] (Set.singleton start)
  where
    flood _ []       _    = []
    flood d frontier seen =
      let (next, seen') = foldl' visit ([], seen) (concatMap steps frontier)
      in (d, frontier) : flood (d + 1) (reverse next) seen'

    steps = filter (open cave) . around

    visit acc@(next, seen) p
      | p `Set.member` seen = acc
      | otherwise     = (p : next, Set.insert p seen)
