{-# LANGUAGE DerivingStrategies, GeneralizedNewtypeDeriving #-}
module Units where

newtype Metres = Metres Double
  deriving newtype (Eq, Ord, Show, Num, Fractional, Floating, Real, RealFrac)

newtype Feet = Feet Double
  deriving newtype (Eq, Ord, Show, Num, Fractional, Floating, Real, RealFrac)

newtype Seconds = Seconds Double
  deriving newtype (Eq, Ord, Show, Num, Fractional, Floating, Real, RealFrac)

newtype FeetPerMinute = FeetPerMinute Double
  deriving newtype (Eq, Ord, Show, Num, Fractional, Floating, Real, RealFrac)

inFeet :: Metres -> Feet
inFeet m = realToFrac m / 0.3048

climbRate :: Feet -> Seconds -> FeetPerMinute
climbRate h t = 60 * realToFrac h / realToFrac t
