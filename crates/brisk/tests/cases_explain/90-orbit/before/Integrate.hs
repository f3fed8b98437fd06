{-# LANGUAGE BangPatterns #-}
module Integrate (Phase (..), Field, trajectory) where

-- | Position and velocity.
data Phase = Phase { pos :: !Double, vel :: !Double }

-- | The acceleration at a time and a phase.
type Field = Double -> Double -> Double -> Double

-- | Runge-Kutta with a fixed step; also gives the widest swing.
trajectory :: Field -> Double -> Int -> Phase -> (Double, Phase)
trajectory acc h steps start = go steps 0 0 (pos start) (vel start)
  where
    go :: Int -> Double -> Double -> Double -> Double -> (Double, Phase)
    go 0 _ !peak !x !v = (peak, Phase x v)
    go n !t !peak !x !v = go (n - 1) (t + h) (max peak (abs x')) x' v'
      where
        k1x = v
        k1v = acc t x v
        k2x = v + h / 2 * k1v
        k2v = acc (t + h / 2) (x + h / 2 * k1x) k2x
        k3x = v + h / 2 * k2v
        k3v = acc (t + h / 2) (x + h / 2 * k2x) k3x
        k4x = v + h * k3v
        k4v = acc (t + h) (x + h * k3x) k4x
        x'  = x + h / 6 * (k1x + 2 * k2x + 2 * k3x + k4x)
        v'  = v + h / 6 * (k1v + 2 * k2v + 2 * k3v + k4v)
