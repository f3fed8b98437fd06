module Latency (Summary (..), summarise) where

import Data.List (foldl')
import Data.Time.Clock (NominalDiffTime, diffUTCTime)
import AccessLog

data Summary = Summary
  { count :: !Int
  , sumMs :: !Double
  , maxMs :: !Double
  , overOne :: !Int
  }

millis :: NominalDiffTime -> Double
millis d = realToFrac d * 1000

add :: Summary -> Entry -> Summary
add (Summary c s m o) e = Summary (c + 1) (s + t) (max m t) (if t > 1000 then o + 1 else o)
  where t = millis (finished e `diffUTCTime` started e)

summarise :: [Entry] -> Summary
summarise = foldl' add (Summary 0 0 0 0)
