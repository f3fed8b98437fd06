module Main (main) where

import Data.List (foldl')
import qualified Data.Map.Strict as Map
import System.Environment (getArgs)
import Text.Printf (printf)

import Units

data Reading = Reading
  { station     :: !Int
  , temperature :: !Celsius
  , pressure    :: !Hectopascal
  }

data Summary = Summary
  { count   :: !Int
  , density :: !Double
  , warmest :: !Kelvin
  }

readings :: Int -> [Reading]
readings n = go n 4711
  where
    go :: Int -> Int -> [Reading]
    go 0 _ = []
    go k seed = Reading (seed `mod` 12) celsius hpa : go (k - 1) seed'
      where
        seed' = (seed * 69069 + 1) `mod` 4294967296
        celsius = Celsius (fromIntegral (seed `div` 256 `mod` 600) / 10 - 20)
        hpa = Hectopascal (950 + fromIntegral (seed `div` 4096 `mod` 1000) / 10)

summarise :: [Reading] -> Map.Map Int Summary
summarise = foldl' add Map.empty
  where
    add m r = Map.insertWith merge (station r) (single r) m
    merge (Summary a b c) (Summary x y z) = Summary (a + x) (b + y) (max c z)

single :: Reading -> Summary
single r = Summary 1 (airDensity (pressure r) kelvin) kelvin
  where
    kelvin = toKelvin (temperature r)

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  mapM_ line (Map.toList (summarise (readings n)))
  where
    line (s, Summary c d (Kelvin w)) =
      printf "station %2d: %d readings, mean density %.5f, warmest %.2f K\n" s c (d / fromIntegral c) w
