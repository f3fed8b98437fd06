module Runs (runs) where

-- How often an element is the one before it again, and how often it is larger.
runs :: Ord a => Int -> Int -> [a] -> (Int, Int)
runs same larger (one : rest@(other : _))
    | one == other = runs (same + 1) larger rest
    | one < other = runs same (larger + 1) rest
    | otherwise = runs same larger rest
runs same larger _ = (same, larger)
