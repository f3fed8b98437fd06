module Piles (pilings) where

import Data.Array

modulus :: Int
modulus = 1000000

-- | In how many ways n coins can be separated into piles, modulo a million.
pilings :: Int -> Int
pilings n = table ! n
  where
    table = listArray (0, n) (map entry [0 .. n]) :: Array Int Int
    entry 0 = 1
    entry k = sum [ sign j * table ! (k - g)
                  | (j, g) <- takeWhile ((<= k) . snd) pentagonal ] `mod` modulus

sign :: Int -> Int
sign j = if odd j then 1 else -1

-- | Generalised pentagonal numbers, each with its index.
pentagonal :: [(Int, Int)]
pentagonal = concat
  [ [(j, j * (3 * j - 1) `div` 2), (j, j * (3 * j + 1) `div` 2)]
  | j <- [1 ..] ]
