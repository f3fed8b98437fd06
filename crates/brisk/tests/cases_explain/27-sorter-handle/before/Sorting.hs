module Sorting
  ( fill
  , shellSort
  ) where

import Store

-- | Writes repeatable noise into every cell.
fill :: Int -> Store -> IO ()
fill n store = go 0 12345
  where
    go i seed
      | i == n = return ()
      | otherwise = do
          let seed' = (seed * 1103515245 + 12345) `mod` 2147483648 :: Int
          writeAt store i (seed' `div` 1024)
          go (i + 1) seed'

shellSort :: Int -> Store -> IO ()
shellSort n store = mapM_ pass (takeWhile (>= 1) (iterate shrink (n `div` 2)))
  where
    shrink 1 = 0
    shrink gap = max 1 (gap * 5 `div` 11)
    pass gap = insertFrom gap gap
    insertFrom gap i
      | i >= n = return ()
      | otherwise = do
          x <- readAt store i
          sink gap x i
          insertFrom gap (i + 1)
    sink gap x i
      | i < gap = writeAt store i x
      | otherwise = do
          y <- readAt store (i - gap)
          if y > x
            then writeAt store i y >> sink gap x (i - gap)
            else writeAt store i x
