module Heatmap (Grid, heatmap, hottest, render) where

import Data.Array
import Data.List (foldl', sortBy)
import Data.Ord (comparing, Down (..))
import Robot (Pos)

type Grid = Array Pos Int

emptyGrid :: (Int, Int) -> Grid
emptyGrid (w, h) = listArray ((0, 0), (w - 1, h - 1)) (repeat 0)

record :: Grid -> Pos -> Grid
record grid p = visits `seq` grid // [(p, visits)]
  where visits = grid ! p + 1

-- | How often each cell was visited.
heatmap :: (Int, Int) -> [Pos] -> Grid
heatmap size = foldl' record (emptyGrid size)

hottest :: Int -> Grid -> [(Pos, Int)]
hottest k = take k . sortBy (comparing (Down . snd)) . assocs

render :: Grid -> [String]
render grid = [ [ shade (grid ! (x, y)) | x <- [x0 .. x1] ] | y <- [y0 .. y1] ]
  where
    ((x0, y0), (x1, y1)) = bounds grid
    top = max 1 (maximum (elems grid))
    shade v = " .:-=+*#%@" !! (v * 9 `div` top)
