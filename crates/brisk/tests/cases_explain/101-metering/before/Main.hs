module Main (main) where

import System.Environment (getArgs)
import Engine
import Types

readings :: Int -> [Reading]
readings n = go 0 17
  where
    go i seed
      | i == n    = []
      | otherwise =
          let seed' = (seed * 1103515245 + 12345) `mod` 2147483648
              value = (seed' `div` 65536) `mod` 103 - 2
          in Reading i value : go (i + 1) seed'

house :: Tariff
house = Tariff { baseRate = 23, peakRate = 31, peakHours = (17, 21), freeUnits = 500 }

month :: [Reading] -> App (Int, Int)
month rs = do
  skipped <- billAll rs
  due <- settle
  return (skipped, due)

main :: IO ()
main = do
  [arg] <- getArgs
  case runApp house (Meter 0 0 0) (month (readings (read arg))) of
    Left err -> putStrLn ("billing failed: " ++ show err)
    Right ((skipped, due), meter) -> do
      putStrLn ("due:     " ++ show due)
      putStrLn ("skipped: " ++ show skipped)
      putStrLn ("used:    " ++ show (unitsUsed meter))
      putStrLn ("alarms:  " ++ show (alarms meter))
