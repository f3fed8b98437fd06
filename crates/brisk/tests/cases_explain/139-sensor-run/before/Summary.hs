module Summary (Summary, emptySummary, addReading, summarise, showSummary) where

import Data.List (foldl')
import Sensor

data Summary = Summary
  { samples :: !Int
  , total :: !Double
  , lowest :: !Double
  , highest :: !Double
  , alarms :: !Int
  }

emptySummary :: Summary
emptySummary = Summary 0 0 1000 (-1000) 0

addReading :: Summary -> Reading -> Summary
addReading s r = Summary
  { samples = samples s + 1
  , total = total s + c
  , lowest = min c (lowest s)
  , highest = max c (highest s)
  , alarms = if c > 44 && even (tick r) then alarms s + 1 else alarms s
  }
  where c = celsius r

summarise :: [Reading] -> Summary
summarise = foldl' addReading emptySummary

showSummary :: Summary -> String
showSummary s = unwords
  [ show (samples s), "samples, mean", show (total s / fromIntegral (samples s))
  , "range", show (lowest s), show (highest s), "alarms", show (alarms s) ]
