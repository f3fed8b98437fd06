module Rng (start, next, die) where

modulus :: Int
modulus = 2147483648

multiplier :: Int
multiplier = 1103515245

increment :: Int
increment = 12345

start n = (n * 2654435 + 17) `mod` modulus

next s = (s * multiplier + increment) `mod` modulus

-- The low bits of the state are poor, so take the high ones.
die s = (s `div` 65536) `mod` 6 + 1
