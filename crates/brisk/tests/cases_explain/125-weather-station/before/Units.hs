{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Units (Celsius(..), Kelvin(..), toKelvin, degrees, kelvins) where

newtype Celsius = Celsius Double
  deriving (Eq, Ord, Show, Num, Fractional, Real)

newtype Kelvin = Kelvin Double
  deriving (Eq, Ord, Show, Num, Fractional, Real)

toKelvin :: Celsius -> Kelvin
toKelvin c = realToFrac c + 273.15

degrees :: Celsius -> Double
degrees = realToFrac

kelvins :: Kelvin -> Double
kelvins = realToFrac
