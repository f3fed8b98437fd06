module Main (main) where

import Sorting
import Store
import System.Environment (getArgs)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 1000000
  store <- newStore n
  fill n store
  shellSort n store
  low <- readAt store 0
  middle <- readAt store (n `div` 2)
  high <- readAt store (n - 1)
  putStrLn ("sorted " ++ show (low, middle, high))
