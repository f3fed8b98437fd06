module Mean (mean) where

mean :: Integral a => a -> a -> a
mean total 0 = total
mean total n = mean ((total + n * n) `rem` 1009) (n - 1)
{-# INLINABLE mean #-}
