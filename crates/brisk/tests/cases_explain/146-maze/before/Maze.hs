module Maze (Wall, carve) where

import UnionFind

type Wall = (Int, Int)

-- Kruskal: open a wall whenever it separates two regions.
carve :: Int -> [Wall] -> [Wall]
carve cells = go (singletons cells)
  where
    go _ [] = []
    go f ((a, b) : ws)
      | ra == rb  = go f ws
      | otherwise = (a, b) : go (union f ra rb) ws
      where
        ra = find f a
        rb = find f b
