module Main (main) where

events :: Int -> [Int]
events count = go count []
  where
    go :: Int -> [Int] -> [Int]
    go 0 out = out
    go n out = go (n - 1) (out ++ [n * n])

main :: IO ()
main = print (sum (events 200))
