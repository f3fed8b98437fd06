module Heatmap (Grid, heatmap, hottest, render) where

import Data.Array
import Data.List (sortBy)
import Data.Ord (comparing, Down (..))
import Robot (Pos)

type Grid = Array Pos Int

-- | How often each cell was visited.
heatmap :: (Int, Int) -> [Pos] -> Grid
heatmap (w, h) visits =
  accumArray (+) 0 ((0, 0), (w - 1, h - 1)) [ (p, 1) | p <- visits ]

hottest :: Int -> Grid -> [(Pos, Int)]
hottest k = take k . sortBy (comparing (Down . snd)) . assocs

render :: Grid -> [String]
render grid = [ [ shade (grid ! (x, y)) | x <- [x0 .. x1] ] | y <- [y0 .. y1] ]
  where
    ((x0, y0), (x1, y1)) = bounds grid
    top = max 1 (maximum (elems grid))
    shade v = " .:-=+*#%@" !! (v * 9 `div` top)
