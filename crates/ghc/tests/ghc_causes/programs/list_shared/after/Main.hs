{-# LANGUAGE BangPatterns #-}

module Main (main) where

rolls :: Int -> [Int]
rolls = go
  where
    go :: Int -> [Int]
    go !s = s `mod` 6 : go (s * 75 `mod` 65537)

sixes :: Int -> Int -> Int
sixes seed n = go n (rolls seed) 0
  where
    go :: Int -> [Int] -> Int -> Int
    go k (d : ds) !found
      | k > 0 = go (k - 1) ds (if d == 5 then found + 1 else found)
    go _ _ found = found
{-# NOINLINE sixes #-}
{-# NOINLINE rolls #-}

main :: IO ()
main = print (map (sixes 4711) [200000, 150000, 100000])
