module Grid (digest) where

digest :: Integral a => Int -> a -> a
digest rounds start = spin rounds start
  where
    spin 0 total = total
    spin n total = spin (n - 1) ((total * 31 + start) `mod` 65521)
