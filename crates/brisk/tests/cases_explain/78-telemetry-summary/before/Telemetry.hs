module Telemetry (Reading (..), readings) where

import Data.Bits (shiftR, (.&.))
import Data.List (unfoldr)

data Reading = Reading
  { sensor :: !Int
  , value  :: !Int
  }

-- | A stream of n readings of simulated sensors.
readings :: Int -> [Reading]
readings n = take n (unfoldr (Just . next) (20220101, 500))
  where
    next :: (Int, Int) -> (Reading, (Int, Int))
    next (seed, level) =
      let seed'  = (seed * 1103515245 + 12345) .&. 0x7fffffff
          drift  = (seed' `shiftR` 12) `mod` 21 - 10
          level' = max 0 (min 1000 (level + drift))
      in level' `seq` (Reading (seed' `shiftR` 8 .&. 15) level', (seed', level'))
