module Main (main) where

import Data.Bits (shiftR, xor, (.&.))
import Data.List (foldl')
import System.Environment (getArgs)
import Text.Printf (printf)

import Units

data Reading = Reading
  { station  :: !Int
  , air      :: !Celsius
  , humidity :: !Double
  , pressure :: !HPa
  }

data Summary = Summary
  { count   :: !Int
  , sumDew  :: !Double
  , load    :: !Double
  , hottest :: !Celsius
  }

scramble :: Int -> Int
scramble i = (x `xor` (x `shiftR` 13)) .&. 0xfffff
  where x = (i * 2654435761) .&. 0xffffffff

readingNo :: Int -> Reading
readingNo i = Reading
  { station  = h `mod` 40
  , air      = Celsius (fromIntegral (h `mod` 450) / 10 - 5)
  , humidity = fromIntegral (20 + (h `shiftR` 4) `mod` 80)
  , pressure = HPa (980 + fromIntegral ((h `shiftR` 7) `mod` 60))
  }
  where h = scramble i

observe :: Summary -> Reading -> Summary
observe s r = Summary
  { count   = count s + 1
  , sumDew  = sumDew s + plain dew
  , load    = load s + heatLoad (air r) dew (pressure r)
  , hottest = max (hottest s) (air r)
  }
  where dew = dewPoint (air r) (humidity r)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of { [] -> 3000000; (a : _) -> read a }
      s = foldl' observe (Summary 0 0 0 (Celsius (-273))) (map readingNo [1 .. n])
      Celsius top = hottest s
  printf "readings  %d\n" (count s)
  printf "mean dew  %.4f\n" (sumDew s / fromIntegral (count s))
  printf "heat load %.2f\n" (load s)
  printf "hottest   %.1f\n" top
