module Statistics (mean) where

import Data.List (foldl')

-- | The arithmetic mean; 0 for no values.
mean :: [Double] -> Double
mean = finish . foldl' add (Sums 0 0)
  where
    add (Sums n total) x = Sums (n + 1) (total + x)
    finish (Sums 0 _) = 0
    finish (Sums n total) = total / fromIntegral n

data Sums = Sums !Int !Double
