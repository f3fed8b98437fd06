module Main (main) where

import Data.List (foldl')
import qualified Data.IntMap.Strict as IM
import System.Environment (getArgs)
import Text.Printf (printf)

import Units

data Observation = Observation
  { station     :: !Int
  , temperature :: !Celsius
  , pressure    :: !Pascal
  }

data Acc = Acc { count :: !Int, warmest :: !Kelvin, densitySum :: !Double, damp :: !Int }

observations :: Int -> [Observation]
observations n = map obs [1 .. n]
  where
    obs i =
      let k = (i * 7919) `mod` 10007
      in Observation (k `mod` 5) (Celsius (fromIntegral k / 200 - 15.3)) (Pascal (98000 + fromIntegral (k `mod` 4001)))

collect :: IM.IntMap Acc -> Observation -> IM.IntMap Acc
collect m o = IM.alter (Just . maybe (add (Acc 0 0 0 0)) add) (station o) m
  where
    t = toKelvin (temperature o)
    add (Acc c w d h) = Acc
      (c + 1)
      (max w t)
      (d + density (pressure o) t)
      (if vapourPressure (temperature o) > 2000 then h + 1 else h)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        [] -> 5000000
        (a : _) -> read a
  mapM_ line (IM.toList (foldl' collect IM.empty (observations n)))
  where
    line (s, Acc c w d h) =
      printf "station %d: %d observations, warmest %.2f K, mean density %.5f, damp %d\n"
        s c (kelvin w) (d / fromIntegral c) h
