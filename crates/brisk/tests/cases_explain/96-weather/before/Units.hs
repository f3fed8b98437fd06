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
toKelvin t = realToFrac t + 273.15

-- | Density of dry air in kilograms per cubic metre.
airDensity :: Hectopascal -> Kelvin -> Double
airDensity p t = realToFrac p * 100 / (287.05 * realToFrac t)
