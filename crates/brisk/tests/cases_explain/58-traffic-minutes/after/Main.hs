module Main (main) where

import Data.Array.Unboxed
import Passages
import System.Environment (getArgs)

type Day = UArray Int Int

count :: [Passage] -> Day
count ps = accumArray (+) 0 (0, 1439) [ (minute p, vehicles p) | p <- ps ]

busiestHour :: Day -> (Int, Int)
busiestHour day = maximum
  [ (sum [ day ! m | m <- [h * 60 .. h * 60 + 59] ], h) | h <- [0 .. 23] ]

clockTime :: Int -> String
clockTime m = pad (m `div` 60) ++ ":" ++ pad (m `mod` 60)
  where
    pad k = [ '0' | k < 10 ] ++ show k

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 1200000
      day = count (passages n)
      (load, hour) = busiestHour day
      (most, peak) = maximum [ (v, m) | (m, v) <- assocs day ]
  putStrLn ("vehicles: " ++ show (sum (elems day)))
  putStrLn ("busiest hour: " ++ show hour ++ " with " ++ show load)
  putStrLn ("busiest minute: " ++ clockTime peak ++ " with " ++ show most)
