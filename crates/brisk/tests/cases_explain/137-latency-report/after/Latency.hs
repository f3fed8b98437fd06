module Latency (Summary (..), summarise) where

import Data.Fixed (Fixed (..))
import Data.List (foldl')
import Data.Time.Clock (NominalDiffTime, diffUTCTime, nominalDiffTimeToSeconds)
import AccessLog

data Summary = Summary
  { count :: !Int
  , sumMs :: !Double
  , maxMs :: !Double
  , overOne :: !Int
  }

millis :: NominalDiffTime -> Double
millis d = case nominalDiffTimeToSeconds d of
  MkFixed picos -> fromInteger picos / 1e9

add :: Summary -> Entry -> Summary
add (Summary c s m o) e = Summary (c + 1) (s + t) (max m t) (if t > 1000 then o + 1 else o)
  where t = millis (finished e `diffUTCTime` started e)

summarise :: [Entry] -> Summary
summarise = foldl' add (Summary 0 0 0 0)
