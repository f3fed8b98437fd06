module Piles (Piles, pilesUpTo, pilings) where

import Data.Array

modulus :: Int
modulus = 1000000

newtype Piles = Piles (Array Int Int)

-- | In how many ways n coins can be separated into piles, modulo a million,
-- for every n up to a limit.
pilesUpTo :: Int -> Piles
pilesUpTo limit = Piles table
  where
    table = listArray (0, limit) (map entry [0 .. limit]) :: Array Int Int
    entry 0 = 1
    entry k = sum [ sign j * table ! (k - g)
                  | (j, g) <- takeWhile ((<= k) . snd) pentagonal ] `mod` modulus

pilings :: Piles -> Int -> Int
pilings (Piles table) n = table ! n

sign :: Int -> Int
sign j = if odd j then 1 else -1

-- | Generalised pentagonal numbers, each with its index.
pentagonal :: [(Int, Int)]
pentagonal = concat
  [ [(j, j * (3 * j - 1) `div` 2), (j, j * (3 * j + 1) `div` 2)]
  | j <- [1 ..] ]
