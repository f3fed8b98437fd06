module Maze (Wall, carve) where

import Control.Monad.ST
import UnionFind

type Wall = (Int, Int)

-- Kruskal: open a wall whenever it separates two regions.
carve :: Int -> [Wall] -> [Wall]
carve cells walls = runST (singletons cells >>= \f -> go f walls [])
  where
    go _ [] open = return (reverse open)
    go f ((a, b) : ws) open = do
      ra <- find f a
      rb <- find f b
      if ra == rb
        then go f ws open
        else union f ra rb >> go f ws ((a, b) : open)
