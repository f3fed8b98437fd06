module Main (main) where

-- A difference list: what is still to come is an argument.
events :: Int -> [Int]
events count = go count id []
  where
    go :: Int -> ([Int] -> [Int]) -> [Int] -> [Int]
    go 0 out = out
    go n out = go (n - 1) (out . (n * n :))

main :: IO ()
main = print (sum (events 200))
