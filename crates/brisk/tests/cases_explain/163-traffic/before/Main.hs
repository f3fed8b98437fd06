module Main (main) where

import qualified Data.Map.Strict as Map
import System.Environment (getArgs)
import Text.Printf (printf)

import Stats

next :: Int -> Int
next s = (s * 1103515245 + 12345) `mod` 2147483648

hitFrom :: Int -> Hit
hitFrom s = Hit
  { hitMethod = toEnum ((s `div` 64) `mod` 4)
  , hitStatus = if (s `div` 512) `mod` 41 == 0 then 503 else 200
  , hitBytes  = 200 + (s `div` 128) `mod` 9000
  , hitMicros = 90 + (s `div` 1024) `mod` 250000
  }

traffic :: Int -> [Hit]
traffic n = map hitFrom (take n (iterate next 20211213))

average :: Int -> Int -> Double
average total n
  | n == 0    = 0
  | otherwise = fromIntegral total / fromIntegral n

printReport :: Stats -> IO ()
printReport s = do
  printf "requests   %d\n" (requests s)
  printf "failures   %d (%.2f%%)\n" (failures s) (100 * average (failures s) (requests s))
  printf "sent       %d bytes, %.1f on average\n" (bytesSent s) (average (bytesSent s) (requests s))
  printf "time       %.1f us on average, %d us at most\n"
    (average (micros s) (requests s)) (slowest s)
  mapM_ line (Map.toList (perMethod s))
  where
    line :: (Method, Int) -> IO ()
    line (m, k) = printf "  %-8s %d\n" (show m) k

main :: IO ()
main = do
  [arg] <- getArgs
  printReport (collect (traffic (read arg)))
