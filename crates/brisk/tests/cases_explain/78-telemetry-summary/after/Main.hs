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
summarise = foldl' add (Summary 0 0 0 0)
  where
    add Summary{..} r = Summary
      { samples = samples + 1
      , total   = total + value r
      , peak    = max peak (value r)
      , alarms  = if value r > threshold then alarms + 1 else alarms
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
