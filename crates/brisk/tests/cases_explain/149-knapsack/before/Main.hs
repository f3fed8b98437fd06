module Main (main) where

import Knapsack
import System.Environment (getArgs)

stock :: Int -> [Item]
stock n = take n (go 12345)
  where
    go s = Item (5 + (s `div` 512) `mod` 60) (1 + (s `div` 4096) `mod` 300) : go (next s)
    next s = (s * 1103515245 + 12345) `mod` 2147483648

main :: IO ()
main = do
  [n] <- getArgs
  let capacity = read n
      items = stock 120
  putStrLn ("weight of all " ++ show (sum (map weight items)))
  putStrLn ("worth of all " ++ show (sum (map worth items)))
  putStrLn ("best " ++ show (solve capacity items))
