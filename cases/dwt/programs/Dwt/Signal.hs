-- | Signals and angles that look random, the same everywhere for the same
-- seed.
module Dwt.Signal
  ( Source
  , source
  , below
  , between
  , many
  , signal
  ) where

import Data.Bits (shiftR, xor)
import qualified Data.Vector.Storable as Vector
import Data.Word (Word64)

import qualified Dwt.Lattice as Lattice

-- | splitmix64 (G. L. Steele, D. Lea and C. H. Flood, /Fast splittable
-- pseudorandom number generators/, OOPSLA 2014).
newtype Source = Source Word64

source :: Int -> Source
source = Source . fromIntegral

next :: Source -> (Word64, Source)
next (Source state) = (mixed, Source state')
  where
    state' = state + 0x9e3779b97f4a7c15
    first = (state' `xor` (state' `shiftR` 30)) * 0xbf58476d1ce4e5b9
    second = (first `xor` (first `shiftR` 27)) * 0x94d049bb133111eb
    mixed = second `xor` (second `shiftR` 31)

-- | From 0 up to, and without, a limit.
below :: Int -> Source -> (Int, Source)
below limit from = (fromIntegral (bits `mod` fromIntegral limit), rest)
  where
    (bits, rest) = next from

-- | At least the first, less than the second.
between :: Double -> Double -> Source -> (Double, Source)
between low high from = (low + (high - low) * fraction, rest)
  where
    (bits, rest) = next from
    fraction = fromIntegral (bits `shiftR` 11) / 9007199254740992

many :: Int -> (Source -> (a, Source)) -> Source -> ([a], Source)
many 0 _ from = ([], from)
many count one from = (value : values, end)
  where
    (value, rest) = one from
    (values, end) = many (count - 1) one rest

-- | So many samples from -1 to 1.
signal :: Int -> Int -> Lattice.Signal
signal seed size = Vector.unfoldrN size (Just . between (-1) 1) (source seed)
