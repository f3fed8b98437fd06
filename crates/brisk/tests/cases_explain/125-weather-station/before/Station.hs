module Station (Reading(..), readings, radiated, meanTemperature) where

import Data.List (foldl')
import Units

data Reading = Reading
  { hour :: !Int
  , temp :: !Celsius
  }

readings :: Int -> [Reading]
readings n = [ Reading h (Celsius (level h)) | h <- [0 .. n - 1] ]
  where
    level h = fromIntegral ((h * 7919) `mod` 601) / 16 - 8 + fromIntegral (h `mod` 24) / 4

radiated :: [Reading] -> Double
radiated = foldl' step 0
  where
    step acc r = let k = kelvins (toKelvin (temp r)) in acc + 5.670374e-8 * k * k * k * k

meanTemperature :: [Reading] -> Double
meanTemperature rs = s / fromIntegral c
  where
    (s, c) = foldl' add (0, 0 :: Int) rs
    add (t, k) r = let t' = t + degrees (temp r); k' = k + 1 in t' `seq` k' `seq` (t', k')
