module Planner
  ( Parcel (..)
  , Plan
  , plan
  , bestWith
  , firstReaching
  ) where

import Control.Monad
import Control.Monad.ST
import Data.Array.Unboxed
import Data.Array.ST

data Parcel = Parcel
  { mass :: !Int
  , fee  :: !Int
  }

-- The best fee for every capacity of the lorry.
type Plan = UArray Int Int

plan :: Int -> [Parcel] -> Plan
plan capacity parcels = runSTUArray $ do
  table <- newArray (0, capacity) 0
  forM_ parcels $ \p -> consider table capacity p
  return table

consider :: STUArray s Int Int -> Int -> Parcel -> ST s ()
consider table c p
  | c < mass p = return ()
  | otherwise  = do
      without <- readArray table c
      with    <- readArray table (c - mass p)
      writeArray table c (max without (with + fee p))
      consider table (c - 1) p

bestWith :: Plan -> Int -> Int
bestWith p c = p ! max lo (min hi c)
  where
    (lo, hi) = bounds p

firstReaching :: Plan -> Int -> Maybe Int
firstReaching p wanted =
  case [ c | (c, v) <- assocs p, v >= wanted ] of
    []      -> Nothing
    (c : _) -> Just c
