module Main (main) where

import Data.Array.IArray
import System.Environment (getArgs)

import Warehouse

orders :: Int -> [Order]
orders n = [ Order ((k * k + 17 * k) `mod` 3000) (1 + (k * 7) `mod` 23) | k <- [1 .. n] ]

main :: IO ()
main = do
  [a] <- getArgs
  let (rejected, stock) = fulfil (initialStock 3000) (orders (read a))
  putStrLn ("rejected: " ++ show rejected)
  putStrLn ("left: " ++ show (sum (elems stock)))
  putStrLn ("empty shelves: " ++ show (length (filter (== 0) (elems stock))))
