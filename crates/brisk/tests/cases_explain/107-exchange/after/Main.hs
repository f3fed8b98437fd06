module Main (main) where

import Data.Either (partitionEithers)
import Data.List (foldl')
import System.Environment (getArgs)
import Text.Printf (printf)
import Rates

orders :: [Rate] -> Int -> [Money]
orders rates n = take n (zipWith order [1 ..] (cycle currencies))
  where
    currencies = "XXX" : map code (every 7 rates)
    order :: Int -> String -> Money
    order i c = Money c (fromIntegral (i * 997 `mod` 50000) / 100)
    every k (x : xs) = x : every k (drop (k - 1) xs)
    every _ []       = []

main :: IO ()
main = do
  [arg] <- getArgs
  let rates = loadRates 250
      table = rateTable rates
      (failed, paid) = partitionEithers (map (convert table "CHE") (orders rates (read arg)))
  printf "converted %d orders\n" (length paid)
  printf "total     %.2f\n" (foldl' (+) 0 (map amount paid))
  printf "failed    %d (%s)\n" (length failed) (concat (take 1 failed))
