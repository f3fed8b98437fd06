{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Geo
  ( Degrees (..)
  , Metres (..)
  , Fix (..)
  , distance
  ) where

newtype Degrees = Degrees Double
  deriving stock (Eq, Ord, Show)
  deriving newtype (Num, Fractional, Real)

newtype Metres = Metres Double
  deriving stock (Eq, Ord, Show)
  deriving newtype (Num, Fractional, Real)

-- | One position of a track.
data Fix = Fix
  { lat :: !Degrees
  , lon :: !Degrees
  , alt :: !Metres
  }

radians :: Degrees -> Double
radians d = realToFrac d * pi / 180

-- | Great-circle distance over the ground, by the haversine formula.
distance :: Fix -> Fix -> Metres
distance a b = Metres (2 * 6371008.8 * asin (sqrt (min 1 h)))
  where
    h = hav (radians (lat b - lat a))
        + cos (radians (lat a)) * cos (radians (lat b)) * hav (radians (lon b - lon a))
    hav t = sin (t / 2) ^ (2 :: Int)
