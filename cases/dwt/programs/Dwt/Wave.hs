{-# LANGUAGE BangPatterns #-}

-- | The transform in one pass. A pair of samples goes through all layers
-- before the next one is read, and what a layer will need of it is held until
-- then. Nothing is written but the result, so that several threads can each
-- make a part of it: whoever begins in the middle reads a few pairs before
-- that.
--
-- The operations on each number are those of the other ways, in the same
-- order, so that the results are the same in every bit.
module Dwt.Wave
  ( level
  , levelOf
  , Band (..)
  , wave
  ) where

import Control.Monad (forM_)
import qualified Data.Vector.Storable as Vector
import qualified Data.Vector.Storable.Mutable as Mutable
import Foreign.Marshal.Array (advancePtr, allocaArray)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peekElemOff, pokeElemOff)

import Dwt.Lattice

-- | Where results go: the first one, and how far apart they are.
data Band = Band !(Ptr Double) !Int

-- | All layers for the steps @from <= t < to@. Step @t@ brings in pair @t@ of
-- the signal, periodically, and ends with the sample @t@ of either band.
wave :: Lattice -> Ptr Double -> Int -> Band -> Band -> Int -> Int -> IO ()
wave which signal pairs low high from to =
  Vector.unsafeWith (coefficients which) $ \cs ->
    if layers which == 6
      then sixLayers cs signal pairs low high from to
      else anyLayers (layers which) cs signal pairs low high from to

-- | What is held between steps lies in memory, which costs time.
anyLayers :: Int -> Ptr Double -> Ptr Double -> Int -> Band -> Band -> Int -> Int -> IO ()
anyLayers count cs signal pairs (Band low lowApart) (Band high highApart) from to =
  allocaArray count $ \held -> do
    forM_ [0 .. count - 1] $ \k -> pokeElemOff held k 0
    forM_ [from - (count - 1) .. to - 1] $ \t -> do
      let pair = t `mod` pairs
      a <- peekElemOff signal (2 * pair)
      b <- peekElemOff signal (2 * pair + 1)
      (first, second) <- through held 0 a b
      if t < from
        then pure ()
        else do
          pokeElemOff low (lowApart * (t - from)) first
          pokeElemOff high (highApart * (t - from)) second
  where
    through !held !k !a !b
      | k == count = pure (a, b)
      | otherwise = do
          before <- if k == 0 then pure a else peekElemOff held k
          c <- peekElemOff cs (2 * k)
          s <- peekElemOff cs (2 * k + 1)
          let now = if k == 0 then b else a
          if k == 0 then pure () else pokeElemOff held k b
          through held (k + 1) (c * before + s * now) (s * before - c * now)

-- | The layers of the filter that is measured. Cosines and sines are in
-- registers, which leaves four. So what is held lies in memory: as arguments
-- of the loop, GHC moves the making of it to the loop's end, and then everything
-- that it is made of has to be kept until there.
sixLayers :: Ptr Double -> Ptr Double -> Int -> Band -> Band -> Int -> Int -> IO ()
sixLayers cs signal pairs (Band low lowApart) (Band high highApart) from to = do
  c0 <- peekElemOff cs 0
  s0 <- peekElemOff cs 1
  c1 <- peekElemOff cs 2
  s1 <- peekElemOff cs 3
  c2 <- peekElemOff cs 4
  s2 <- peekElemOff cs 5
  c3 <- peekElemOff cs 6
  s3 <- peekElemOff cs 7
  c4 <- peekElemOff cs 8
  s4 <- peekElemOff cs 9
  c5 <- peekElemOff cs 10
  s5 <- peekElemOff cs 11
  allocaArray 5 $ \held -> do
    let
      through place c s now = do
        before <- peekElemOff held place
        pure (c * before + s * now, s * before - c * now)
      {-# INLINE through #-}
      bring pair continue = do
        a <- peekElemOff signal (2 * pair)
        b <- peekElemOff signal (2 * pair + 1)
        let !first0 = c0 * a + s0 * b
        (first1, second1) <- through 0 c1 s1 first0
        pokeElemOff held 0 (s0 * a - c0 * b)
        (first2, second2) <- through 1 c2 s2 first1
        pokeElemOff held 1 second1
        (first3, second3) <- through 2 c3 s3 first2
        pokeElemOff held 2 second2
        (first4, second4) <- through 3 c4 s4 first3
        pokeElemOff held 3 second3
        (first5, second5) <- through 4 c5 s5 first4
        pokeElemOff held 4 second4
        let !after = pair + 1
        continue first5 second5 (if after == pairs then 0 else after)
      {-# INLINE bring #-}
      -- So many steps back begins what the first result is made of.
      silent :: Int -> Int -> IO ()
      silent !left !pair
        | left == 0 = loud low high (to - from) pair
        | otherwise = bring pair $ \_ _ -> silent (left - 1)
      loud :: Ptr Double -> Ptr Double -> Int -> Int -> IO ()
      loud !toLow !toHigh !left !pair
        | left == 0 = pure ()
        | otherwise = bring pair $ \first second next -> do
            pokeElemOff toLow 0 first
            pokeElemOff toHigh 0 second
            loud (advancePtr toLow lowApart) (advancePtr toHigh highApart) (left - 1) next
    forM_ [0 .. 4] $ \place -> pokeElemOff held place 0
    silent 5 ((from - 5) `mod` pairs)

-- | A part of a level, from one pair of the result up to, and without,
-- another; both bands in turn, as the layers leave them.
levelOf :: Lattice -> Ptr Double -> Int -> Ptr Double -> (Int, Int) -> IO ()
levelOf which signal size result (from, to) = do
  wave which signal pairs (band 0) (band 1) (first + from) (first + inner)
  if inner == to
    then pure ()
    else wave which signal pairs (Band (advancePtr result (size - 1)) 2) (Band result 2) (first + inner) (first + to)
  where
    pairs = size `div` 2
    count = layers which
    first = count `div` 2
    -- With an even number of layers the pairs begin at odd samples, and
    -- sample 0 closes the last one.
    begins = (count + 1) `mod` 2
    inner = if begins == 1 && to == pairs then to - 1 else to
    band offset = Band (advancePtr result (2 * from + begins + offset)) 2

-- | All layers.
level :: Lattice -> Signal -> IO Signal
level which signal = do
  result <- Mutable.unsafeNew size
  Vector.unsafeWith signal $ \from ->
    Mutable.unsafeWith result $ \to ->
      levelOf which from size to (0, size `div` 2)
  Vector.unsafeFreeze result
  where
    size = Vector.length signal
{-# NOINLINE level #-}
