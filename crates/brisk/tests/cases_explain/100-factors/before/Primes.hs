module Primes (primes, isPrime, factorise) where

-- | All prime numbers.
primes :: Integral a => [a]
primes = 2 : filter isPrime [3, 5 ..]

isPrime :: Integral a => a -> Bool
isPrime n = n > 1 && all (\p -> n `mod` p /= 0) (candidates n)

candidates :: Integral a => a -> [a]
candidates n = takeWhile (\p -> p * p <= n) primes

-- | The prime factors of a number, in order.
factorise :: Integral a => a -> [a]
factorise n = go n (candidates n)
  where
    go m ps = case ps of
      _ | m == 1 -> []
      []         -> [m]
      p : rest
        | m `mod` p == 0 -> p : go (m `div` p) ps
        | otherwise      -> go m rest
