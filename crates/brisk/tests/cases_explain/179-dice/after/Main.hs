module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

import Pig

data Season = Season
  { wonA     :: !Int
  , wonB     :: !Int
  , allTurns :: !Int
  , allRolls :: !Int
  }

addMatch :: Season -> Score -> Season
addMatch s m = Season
  { wonA     = wonA s + (if winner m == 1 then 1 else 0)
  , wonB     = wonB s + (if winner m == 2 then 1 else 0)
  , allTurns = allTurns s + turns m
  , allRolls = allRolls s + rolls m
  }

season n holdA holdB =
  foldl' addMatch (Season 0 0 0 0) [ match holdA holdB seed | seed <- [1 .. n] ]

row :: Int -> Int -> Season -> String
row a b s =
  pad (show a) ++ pad (show b) ++ pad (show (wonA s)) ++ pad (show (wonB s))
    ++ pad (show (allTurns s)) ++ pad (show (allRolls s))
  where pad x = replicate (9 - length x) ' ' ++ x

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
  putStrLn "   hold a   hold b     a won    b won    turns    rolls"
  mapM_ (\(a, b) -> putStrLn (row (fromIntegral a) (fromIntegral b) (season n a b)))
        [ (15, 20), (20, 25), (20, 20), (25, 15) ]
