module Main (main) where

import Data.Array.Unboxed
import Data.List (foldl')
import Passages
import System.Environment (getArgs)

type Day = UArray Int Int

quiet :: Day
quiet = listArray (0, 1439) (replicate 1440 0)

count :: Day -> Passage -> Day
count day p = day // [(minute p, day ! minute p + vehicles p)]

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
      day = foldl' count quiet (passages n)
      (load, hour) = busiestHour day
      (most, peak) = maximum [ (v, m) | (m, v) <- assocs day ]
  putStrLn ("vehicles: " ++ show (sum (elems day)))
  putStrLn ("busiest hour: " ++ show hour ++ " with " ++ show load)
  putStrLn ("busiest minute: " ++ clockTime peak ++ " with " ++ show most)
