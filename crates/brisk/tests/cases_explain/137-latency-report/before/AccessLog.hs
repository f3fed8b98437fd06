module AccessLog (Entry (..), entries) where

import Data.Time.Calendar (fromGregorian)
import Data.Time.Clock (UTCTime (..), picosecondsToDiffTime)

data Entry = Entry { started :: !UTCTime, finished :: !UTCTime }

entries :: Int -> [Entry]
entries n = map entry [1 .. n]

entry :: Int -> Entry
entry k = Entry (at t) (at (t + k * 7919 `mod` 1300021 + 250))
  where t = k * 40000 `mod` 80000000000

at :: Int -> UTCTime
at micros = UTCTime day (picosecondsToDiffTime (fromIntegral micros * 1000000))
  where day = fromGregorian 2021 11 5
