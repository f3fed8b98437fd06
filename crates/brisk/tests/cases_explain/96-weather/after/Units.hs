{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Units
  ( Celsius (..)
  , Kelvin (..)
  , Hectopascal (..)
  , toKelvin
  , airDensity
  ) where

newtype Celsius = Celsius Double
  deriving (Eq, Ord, Show, Num, Fractional, Real)

newtype Kelvin = Kelvin Double
  deriving (Eq, Ord, Show, Num, Fractional, Real)

newtype Hectopascal = Hectopascal Double
  deriving (Eq, Ord, Show, Num, Fractional, Real)

toKelvin :: Celsius -> Kelvin
toKelvin (Celsius t) = Kelvin (t + 273.15)

-- | Density of dry air in kilograms per cubic metre.
airDensity :: Hectopascal -> Kelvin -> Double
airDensity (Hectopascal p) (Kelvin t) = p * 100 / (287.05 * t)
