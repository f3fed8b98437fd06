module Powers (powers) where

powers :: Fractional a => a -> Int -> a
powers x n = go 1 0 n
  where
    go power total left
      | left <= 0 = total
      | otherwise = go (power * x / 2) (total + power) (left - 1)
{-# SPECIALISE powers :: Float -> Int -> Float #-}
