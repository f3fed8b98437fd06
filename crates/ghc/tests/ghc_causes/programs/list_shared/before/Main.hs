{-# LANGUAGE BangPatterns #-}

module Main (main) where

rolls :: [Int]
rolls = go 4711
  where
    go :: Int -> [Int]
    go !s = s `mod` 6 : go (s * 75 `mod` 65537)

sixes :: Int -> Int
sixes n = go n rolls 0
  where
    go :: Int -> [Int] -> Int -> Int
    go k (d : ds) !found
      | k > 0 = go (k - 1) ds (if d == 5 then found + 1 else found)
    go _ _ found = found
{-# NOINLINE sixes #-}

main :: IO ()
main = print (map sixes [200000, 150000, 100000])
