{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Units
  ( Celsius (..), HPa (..), Degrees, plain, dewPoint, heatLoad ) where

newtype Celsius = Celsius Double
  deriving (Eq, Ord, Num, Fractional, Real, RealFrac)

newtype HPa = HPa Double
  deriving (Eq, Ord, Num, Fractional, Real, RealFrac)

type Degrees = Double

-- | Throws the unit away, for formulas that mix units.
plain :: Celsius -> Double
plain = realToFrac

-- | Magnus' formula; humidity in percent.
dewPoint :: Celsius -> Double -> Celsius
dewPoint t rh = Celsius (c * g / (b - g))
  where
    b = 17.62
    c = 243.12
    t' = plain t
    g = log (rh / 100) + b * t' / (c + t')

heatLoad :: Celsius -> Celsius -> HPa -> Double
heatLoad t dew (HPa p) = max 0 (plain t - 18) + 0.2 * max 0 (plain dew - 12) + (1013 - p) / 100
