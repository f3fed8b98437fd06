{-# LANGUAGE FlexibleContexts #-}

-- | The transform as one writes it down: each layer makes a new vector.
module Dwt.Plain
  ( step
  , level
  , unboxedLevel
  ) where

import qualified Data.List as List
import qualified Data.Vector.Generic as Generic
import qualified Data.Vector.Unboxed as Unboxed

import Dwt.Lattice

-- | One layer, the one with this number.
step :: Lattice -> Int -> Signal -> Signal
step = stepOf
{-# NOINLINE step #-}

-- | The same in an array that the collector may move, as Repa's are.
unboxedStep :: Lattice -> Int -> Unboxed.Vector Double -> Unboxed.Vector Double
unboxedStep = stepOf
{-# NOINLINE unboxedStep #-}

stepOf :: Generic.Vector v Double => Lattice -> Int -> v Double -> v Double
stepOf which layer signal = Generic.generate size at
  where
    size = Generic.length signal
    (c, s) = cosineAndSine which layer
    begins = layer `mod` 2
    at position
      | even (position + begins) = c * sample position + s * sample (position + 1)
      | otherwise = s * sample (position - 1) - c * sample position
    -- Only neighbours are asked for, so one turn is enough.
    sample position
      | position < 0 = Generic.unsafeIndex signal (size - 1)
      | position == size = Generic.unsafeIndex signal 0
      | otherwise = Generic.unsafeIndex signal position
{-# INLINE stepOf #-}

-- | All layers.
level :: Lattice -> Signal -> Signal
level which signal = List.foldl' (flip (step which)) signal [0 .. layers which - 1]

-- | All layers, with the copies that it takes to come from a storable vector
-- and to return to one.
unboxedLevel :: Lattice -> Signal -> Signal
unboxedLevel which signal =
  Generic.convert (List.foldl' (flip (unboxedStep which)) (Generic.convert signal) [0 .. layers which - 1])
