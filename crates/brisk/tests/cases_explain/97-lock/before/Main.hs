module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

import Lock

wheelCount :: Int
wheelCount = 7

wheels :: Int -> [Wheel]
wheels n = replicate wheelCount [0 .. n - 1]

clues :: Int -> [Clue]
clues n =
  [ Clue (take wheelCount (map (`mod` n) [3, 4 ..])) 3
  , Clue (take wheelCount (map (`mod` n) [1, 4 ..])) 2
  , Clue (replicate wheelCount 2) 1
  ]

data Tally = Tally !Int [Int] [Int]

tally :: [[Int]] -> Tally
tally = foldl' add (Tally 0 [] [])
  where
    add (Tally 0 _ _) s = Tally 1 s s
    add (Tally k f _) s = Tally (k + 1) f s

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  let Tally k first final = tally (filter (agrees (clues n)) (combinations (wheels n)))
  putStrLn (show k ++ " settings fit the clues")
  putStrLn ("first " ++ concatMap show first)
  putStrLn ("last  " ++ concatMap show final)
