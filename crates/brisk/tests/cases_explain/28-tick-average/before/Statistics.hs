module Statistics (mean) where

import Data.List (foldl')

-- | The arithmetic mean; 0 for no values.
mean :: [Double] -> Double
mean [] = 0
mean xs = total xs / fromIntegral (length xs)

total :: [Double] -> Double
total = foldl' (+) 0
