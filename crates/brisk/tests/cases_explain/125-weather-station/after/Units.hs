{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Units (Celsius(..), Kelvin(..), toKelvin, degrees, kelvins) where

newtype Celsius = Celsius Double
  deriving (Eq, Ord, Show, Num, Fractional, Real)

newtype Kelvin = Kelvin Double
  deriving (Eq, Ord, Show, Num, Fractional, Real)

toKelvin :: Celsius -> Kelvin
toKelvin (Celsius c) = Kelvin (c + 273.15)

degrees :: Celsius -> Double
degrees (Celsius c) = c

kelvins :: Kelvin -> Double
kelvins (Kelvin k) = k
