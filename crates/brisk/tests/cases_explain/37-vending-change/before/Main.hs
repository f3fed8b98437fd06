module Main (main) where

import Data.List (maximumBy)
import Data.Maybe (isNothing, mapMaybe)
import Data.Ord (comparing)
import System.Environment (getArgs)

import Change

data Machine = Machine String Coins

machines :: [Machine]
machines =
  [ Machine "lobby"   [50, 20, 10, 5, 2, 1]
  , Machine "canteen" [100, 35, 21, 6]
  , Machine "garage"  [24, 17, 15, 9]
  ]

survey :: Int -> Machine -> [String]
survey limit (Machine place coins) =
  [ place
  , "  worst:   " ++ uncurry describe (fmap Just worst)
  , "  total:   " ++ show (sum (map snd payable))
  , "  refused: " ++ show (length (filter (isNothing . snd) answers))
  ]
  where
    answers = [ (a, fewest coins a) | a <- [1 .. limit] ]
    payable = mapMaybe sequenceA answers
    worst   = maximumBy (comparing snd) payable

main :: IO ()
main = do
  args <- getArgs
  let limit = case args of
        (a : _) -> read a
        []      -> 2300
  mapM_ (mapM_ putStrLn . survey limit) machines
