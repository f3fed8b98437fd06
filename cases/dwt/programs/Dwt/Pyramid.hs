-- | The transform over several levels: the low band of each is the signal of
-- the next one.
module Dwt.Pyramid
  ( pyramid
  , inverse
  , reference
  ) where

import Control.Monad (zipWithM_)
import qualified Data.Vector.Storable as Vector
import qualified Data.Vector.Storable.Mutable as Mutable
import Foreign.Marshal.Array (advancePtr)

import qualified Dwt.InPlace as InPlace
import Dwt.Lattice
import Dwt.Parallel (divided, ranges)
import qualified Dwt.Plain as Plain
import Dwt.Wave (Band (..), wave)

-- | So many levels by at most so many threads: the coarsest low band, then
-- the high bands from coarse to fine.
pyramid :: Int -> Int -> Lattice -> Signal -> IO Signal
pyramid threads levels which signal
  | levels == 0 = pure signal
  | otherwise = do
      result <- Mutable.unsafeNew size
      -- Low bands in turn, so that none is written while it is read.
      even' <- Mutable.unsafeNew (size `div` 2)
      odd' <- Mutable.unsafeNew (size `div` 2)
      Vector.unsafeWith signal $ \samples ->
        Mutable.unsafeWith result $ \to ->
          Mutable.unsafeWith even' $ \evens ->
            Mutable.unsafeWith odd' $ \odds ->
              let lows = take (levels - 1) (cycle [evens, odds]) ++ [to]
                  level half (from, low) =
                    divided
                      threads
                      [ wave which from half (Band (advancePtr low first) 1) (Band (advancePtr to (half + first)) 1) first end
                      | (first, end) <- ranges threads half
                      ]
               in zipWithM_ level (drop 1 (iterate (`div` 2) size)) (zip (samples : lows) lows)
      Vector.unsafeFreeze result
  where
    size = Vector.length signal
{-# NOINLINE pyramid #-}

-- | Undoes so many levels.
inverse :: Int -> Lattice -> Signal -> IO Signal
inverse levels which transformed = go (Vector.length transformed `div` (2 ^ levels))
  where
    go size
      | size == Vector.length transformed = pure transformed
      | otherwise = do
          let (known, finer) = Vector.splitAt (2 * size) transformed
              (low, high) = Vector.splitAt size known
          signal <- InPlace.inverse which (join (layers which) low high)
          inverse (levels - 1) which (signal Vector.++ finer)

-- | The same as 'pyramid' in the plainest way.
reference :: Int -> Lattice -> Signal -> Signal
reference 0 _ signal = signal
reference levels which signal = reference (levels - 1) which low Vector.++ high
  where
    (low, high) = split (layers which) (Plain.level which signal)
