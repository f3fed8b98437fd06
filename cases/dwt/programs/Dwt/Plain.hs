-- | The transform as one writes it down: each layer makes a new vector.
module Dwt.Plain
  ( step
  , level
  ) where

import qualified Data.List as List
import qualified Data.Vector.Storable as Vector

import Dwt.Lattice

-- | One layer, the one with this number.
step :: Lattice -> Int -> Signal -> Signal
step which layer signal = Vector.generate size at
  where
    size = Vector.length signal
    (c, s) = cosineAndSine which layer
    begins = layer `mod` 2
    at position
      | even (position + begins) = c * sample position + s * sample (position + 1)
      | otherwise = s * sample (position - 1) - c * sample position
    -- Only neighbours are asked for, so one turn is enough.
    sample position
      | position < 0 = Vector.unsafeIndex signal (size - 1)
      | position == size = Vector.unsafeIndex signal 0
      | otherwise = Vector.unsafeIndex signal position
{-# NOINLINE step #-}

-- | All layers.
level :: Lattice -> Signal -> Signal
level which signal = List.foldl' (flip (step which)) signal [0 .. layers which - 1]
