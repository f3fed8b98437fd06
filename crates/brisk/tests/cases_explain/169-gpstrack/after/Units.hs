{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Units
  ( Metres, metres, Seconds, seconds, Kilometres, Speed
  , toKilometres, toDouble, scaleBy, perSecond
  ) where

newtype Metres = Metres Double
  deriving (Eq, Ord, Num, Fractional, Real)

newtype Kilometres = Kilometres Double
  deriving (Eq, Ord, Num, Fractional, Real, Show)

newtype Seconds = Seconds Double
  deriving (Eq, Ord, Num, Fractional, Real)

newtype Speed = Speed Double
  deriving (Eq, Ord, Num, Fractional, Real, Show)

metres :: Double -> Metres
metres = Metres

seconds :: Double -> Seconds
seconds = Seconds

toKilometres :: Metres -> Kilometres
toKilometres (Metres m) = Kilometres m / 1000

toDouble :: Metres -> Double
toDouble (Metres m) = m

scaleBy :: Double -> Metres -> Metres
scaleBy k m = Metres k * m

perSecond :: Metres -> Seconds -> Speed
perSecond (Metres m) (Seconds s) = Speed m / Speed s
