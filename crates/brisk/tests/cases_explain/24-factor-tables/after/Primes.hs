module Primes
  ( primes
  , factorise
  ) where

-- | All prime numbers.
primes :: [Int]
primes = known
  where
    known = 2 : filter isPrime [3, 5 ..]
    isPrime n = all (\p -> n `mod` p /= 0) (takeWhile (\p -> p * p <= n) known)

-- | The prime factors of a number, with their powers.
factorise :: Int -> [(Int, Int)]
factorise n = go n primes
  where
    go m (p : ps)
      | m == 1 = []
      | p * p > m = [(m, 1)]
      | otherwise = case divideOut m p of
          (_, 0) -> go m ps
          (m', k) -> (p, k) : go m' ps
    go _ [] = []

divideOut :: Int -> Int -> (Int, Int)
divideOut m p = case m `quotRem` p of
  (q, 0) -> let (m', k) = divideOut q p in (m', k + 1)
  _ -> (m, 0)
