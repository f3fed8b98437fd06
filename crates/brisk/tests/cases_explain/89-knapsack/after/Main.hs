module Main (main) where

import Data.Array.Unboxed
import System.Environment (getArgs)

import Pack

parcels :: Int -> [Item]
parcels n = [ Item (5 + i * 37 `mod` 61) (10 + i * 53 `mod` 97) | i <- [1 .. n] ]

main :: IO ()
main = do
  args <- getArgs
  let n     = case args of { [] -> 260; a : _ -> read a }
      limit = n * 25
      table = bestValues limit (parcels n)
  putStrLn ("capacity " ++ show limit ++ ": " ++ show (table ! limit))
  putStrLn ("half:    " ++ show (table ! (limit `div` 2)))
  let steps = length [ () | (a, b) <- zip (elems table) (drop 1 (elems table)), b > a ]
  putStrLn ("capacities that pay: " ++ show steps)
