module Numeric.Poly
  ( Poly
  , poly
  , eval
  , bisect
  ) where

-- | A polynomial, lowest power first.
newtype Poly a = Poly [a]

poly :: (Eq a, Num a) => [a] -> Poly a
poly = Poly . trim
  where
    trim = foldr keep []
    keep c cs
      | null cs && c == 0 = []
      | otherwise = c : cs

eval :: Num a => Poly a -> a -> a
eval (Poly cs) x = horner (reverse cs) 0
  where
    horner [] acc = acc
    horner (k : ks) acc = horner ks (acc * x + k)

-- | Halves the interval a fixed number of times.
bisect :: (Fractional a, Ord a) => Poly a -> a -> a -> Int -> a
bisect p lo hi n
  | n == 0 = mid
  | signOf (eval p lo) == signOf (eval p mid) = bisect p mid hi (n - 1)
  | otherwise = bisect p lo mid (n - 1)
  where
    mid = (lo + hi) / 2

signOf :: (Ord a, Num a) => a -> Int
signOf v
  | v > 0 = 1
  | v < 0 = -1
  | otherwise = 0
