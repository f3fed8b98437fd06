module Search (distances, Layer) where

import Data.List (foldl')

import Grid

type Layer = (Int, [Pos])

-- | The fields of the cave by their distance from the start.
distances :: Cave -> Pos -> [Layer]
distances cave start = flood 0 [start] [start]
  where
    flood _ []       _    = []
    flood d frontier seen =
      let (next, seen') = foldl' visit ([], seen) (concatMap steps frontier)
      in (d, frontier) : flood (d + 1) (reverse next) seen'

    steps = filter (open cave) . around

    visit acc@(next, seen) p
      | p `elem` seen = acc
      | otherwise     = (p : next, p : seen)
