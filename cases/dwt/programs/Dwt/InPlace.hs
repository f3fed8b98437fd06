{-# LANGUAGE BangPatterns #-}
-- | The transform as C does it: one new array, in which layer after layer is
-- written in place.
module Dwt.InPlace
  ( step
  , level
  , inverse
  ) where

import qualified Data.Vector.Storable as Vector
import qualified Data.Vector.Storable.Mutable as Mutable
import Foreign.Ptr (Ptr)
import Foreign.Storable (peekElemOff, pokeElemOff)

import Dwt.Lattice

-- | One layer on pairs that lie side by side, from one array into another or
-- into the same.
reflect :: Double -> Double -> Ptr Double -> Ptr Double -> Int -> Int -> IO ()
reflect c s from to = go
  where
    go first end
      | first >= end = pure ()
      | otherwise = do
          a <- peekElemOff from first
          b <- peekElemOff from (first + 1)
          pokeElemOff to first (c * a + s * b)
          pokeElemOff to (first + 1) (s * a - c * b)
          go (first + 2) end

-- | The layer with this number.
layerOf :: Lattice -> Int -> Ptr Double -> Ptr Double -> Int -> IO ()
layerOf which layer from to size
  | even layer = reflect c s from to 0 size
  | otherwise = do
      a <- peekElemOff from (size - 1)
      b <- peekElemOff from 0
      reflect c s from to 1 (size - 1)
      pokeElemOff to (size - 1) (c * a + s * b)
      pokeElemOff to 0 (s * a - c * b)
  where
    !(!c, !s) = cosineAndSine which layer

through :: Lattice -> [Int] -> Signal -> IO Signal
through which order signal = do
  result <- Mutable.unsafeNew size
  Vector.unsafeWith signal $ \from ->
    Mutable.unsafeWith result $ \to ->
      mapM_ (\(number, layer) -> layerOf which layer (if number == 0 then from else to) to size) (zip [0 :: Int ..] order)
  Vector.unsafeFreeze result
  where
    size = Vector.length signal

-- | One layer, the one with this number.
step :: Lattice -> Int -> Signal -> IO Signal
step which layer = through which [layer]
{-# NOINLINE step #-}

-- | All layers.
level :: Lattice -> Signal -> IO Signal
level which = through which [0 .. layers which - 1]
{-# NOINLINE level #-}

-- | Undoes 'level'.
inverse :: Lattice -> Signal -> IO Signal
inverse which = through which (reverse [0 .. layers which - 1])
