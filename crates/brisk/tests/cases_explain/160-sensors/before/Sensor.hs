module Sensor
  ( Station (..)
  , stations
  , readings
  ) where

data Station = Station
  { name :: String
  , seed :: !Int
  , base :: !Double
  }

stations :: [Station]
stations =
  [ Station "harbour" 17 11.5
  , Station "airport" 91 9.25
  , Station "summit" 23 (-3.75)
  ]

-- The temperatures a station has sent, in the order of time.
readings :: Int -> Station -> [Double]
readings count station = go count (seed station) (base station)
  where
    go :: Int -> Int -> Double -> [Double]
    go 0 _ _ = []
    go n s t =
      let s' = (s * 1103515245 + 12345) `mod` 2147483648
          d  = fromIntegral (s' `div` 65536 `mod` 201 - 100) / 100
          t' = t + (base station - t) * 0.05 + d
      in t' `seq` (t' : go (n - 1) s' t')
