module Main (main) where

import Control.Monad (forM_)
import System.Environment (getArgs)
import Sensor
import Summary

main :: IO ()
main = do
  [arg] <- getArgs
  forM_ [11, 42] $ \seed -> do
    device <- newDevice seed
    summary <- collect addReading emptySummary device (read arg)
    putStrLn (showSummary summary)
