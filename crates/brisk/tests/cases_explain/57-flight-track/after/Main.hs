module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)
import Units

data Fix = Fix
  { clock :: !Seconds
  , altitude :: !Metres
  }

data Profile = Profile
  { top :: !Feet
  , bestClimb :: !FeetPerMinute
  , steepSpots :: !Int
  }

-- | A flight with thermals: samples every second and a half.
track :: Int -> [Fix]
track n = [ Fix (1.5 * fromIntegral k) (height k) | k <- [0 .. n - 1] ]
  where
    height k =
      let t = fromIntegral k
      in 800 + 0.01 * t + fromIntegral ((k * 37) `mod` 113) / 9

profile :: [Fix] -> Profile
profile fixes = foldl' leg (Profile 0 0 0) (zip fixes (tail fixes))
  where
    leg acc (a, b) = Profile
      { top = max (top acc) high
      , bestClimb = max (bestClimb acc) rate
      , steepSpots = if rate > 300 then steepSpots acc + 1 else steepSpots acc
      }
      where
        high = inFeet (altitude b)
        rate = climbRate (high - inFeet (altitude a)) (clock b - clock a)

main :: IO ()
main = do
  args <- getArgs
  let samples = if null args then 2000000 else read (head args)
      p = profile (track samples)
  putStrLn ("top of flight: " ++ show (round (top p) :: Int) ++ " ft")
  putStrLn ("best climb:    " ++ show (round (bestClimb p) :: Int) ++ " ft/min")
  putStrLn ("steep spots:   " ++ show (steepSpots p))
