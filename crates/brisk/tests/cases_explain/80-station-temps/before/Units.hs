{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Units
  ( Celsius (..)
  , Kelvin (..)
  , Pascal (..)
  , toKelvin
  , vapourPressure
  , density
  ) where

newtype Celsius = Celsius { celsius :: Double }
  deriving (Eq, Ord, Num, Fractional, Real, Show)

newtype Kelvin = Kelvin { kelvin :: Double }
  deriving (Eq, Ord, Num, Fractional, Real, Show)

newtype Pascal = Pascal { pascal :: Double }
  deriving (Eq, Ord, Num, Fractional, Real, Show)

toKelvin :: Celsius -> Kelvin
toKelvin t = realToFrac t + 273.15

-- | Saturation pressure after Magnus.
vapourPressure :: Celsius -> Pascal
vapourPressure (Celsius t) = Pascal (611.2 * exp (17.62 * t / (243.12 + t)))

-- | Density of dry air, kg per cubic metre.
density :: Pascal -> Kelvin -> Double
density (Pascal p) (Kelvin t) = p / (287.05 * t)
