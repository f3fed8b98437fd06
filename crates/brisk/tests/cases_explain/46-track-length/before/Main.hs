module Main (main) where

import Data.List (foldl')
import Geo
import System.Environment (getArgs)
import Text.Printf (printf)

data Summary = Summary
  { ground :: !Metres
  , climb  :: !Metres
  , top    :: !Metres
  , legs   :: !Int
  }

-- | A made-up walk around a hill.
track :: Int -> [Fix]
track n = map at [0 .. n]
  where
    at i =
      let t = fromIntegral i / 50 :: Double
      in Fix (Degrees (46.5 + 0.01 * sin t + t * 1.0e-5))
             (Degrees (8.1 + 0.015 * cos (t * 1.1)))
             (Metres (900 + 350 * sin (t / 9)))

summarise :: [Fix] -> Summary
summarise fixes = foldl' leg (Summary 0 0 0 0) (zip fixes (drop 1 fixes))
  where
    leg s (p, q) = Summary
      { ground = ground s + distance p q
      , climb  = climb s + max 0 (alt q - alt p)
      , top    = max (top s) (alt q)
      , legs   = legs s + 1
      }

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        [a] -> read a
        _   -> 1500000
      Summary (Metres g) (Metres c) (Metres t) k = summarise (track n)
  printf "legs    %d\n" k
  printf "ground  %.1f m\n" g
  printf "climb   %.1f m\n" c
  printf "highest %.1f m\n" t
