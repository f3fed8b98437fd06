{-# LANGUAGE RecordWildCards #-}
module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

import Telemetry

data Summary = Summary
  { samples :: !Int
  , total   :: !Int
  , peak    :: !Int
  , alarms  :: !Int
  }

threshold :: Int
threshold = 900

summarise :: [Reading] -> Summary
summarise rs = Summary
  { samples = length rs
  , total   = foldl' (\s r -> s + value r) 0 rs
  , peak    = foldl' (\m r -> max m (value r)) 0 rs
  , alarms  = length (filter ((> threshold) . value) rs)
  }

render :: Summary -> [String]
render Summary{..} =
  [ "samples " ++ show samples
  , "mean    " ++ show (total `div` max 1 samples)
  , "peak    " ++ show peak
  , "alarms  " ++ show alarms ++ " (above " ++ show threshold ++ ")"
  ]

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        a : _ -> read a
        []    -> 2500000
  mapM_ putStrLn . render . summarise $ readings n
