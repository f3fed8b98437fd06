module Main (main) where

collatz :: Int -> Int
collatz start = go start 0
  where
    go :: Int -> Int -> Int
    go n steps
      | n == 1 = steps
      | otherwise = go (if even n then n `div` 2 else 3 * n + 1) (steps + n)
{-# NOINLINE collatz #-}

main :: IO ()
main = print (maximum (map collatz [1 .. 2000]))
