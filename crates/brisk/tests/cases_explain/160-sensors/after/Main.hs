module Main (main) where

import System.Environment (getArgs)

import Sensor
import Summary

frostWarning :: Summary -> String
frostWarning s
  | coldest s < 0 = "  frost was seen"
  | otherwise     = "  no frost"

report :: Int -> Station -> IO Double
report count station = do
  let s = summarize (readings count station)
  mapM_ putStrLn (describe (name station) s)
  putStrLn (frostWarning s)
  return (mean s)

main :: IO ()
main = do
  [arg] <- getArgs
  means <- mapM (report (read arg)) stations
  let warmest = maximum (zip means (map name stations))
  putStrLn ("warmest place: " ++ snd warmest)
