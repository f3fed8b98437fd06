module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)
import Window

-- | Counts how often a sample is far above the recent average.

samples :: Int -> [Int]
samples n = take n (iterate next 17)
  where
    next s = (s * 1103515245 + 12345) `mod` 2147483648

data Watch = Watch
  { recent :: !Window
  , alarms :: !Int
  }

observe :: Watch -> Int -> Watch
observe w sample = Watch (push x (recent w)) (alarms w + alarm)
  where
    x = sample `div` 4096 `mod` 1000
    alarm
      | full (recent w) && x * 100 > 195 * average (recent w) = 1
      | otherwise = 0

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 15000
      end = foldl' observe (Watch (new 3000) 0) (samples n)
  putStrLn ("alarms:       " ++ show (alarms end))
  putStrLn ("last average: " ++ show (average (recent end)))
