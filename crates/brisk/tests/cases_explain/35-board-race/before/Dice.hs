module Dice (rolls) where

-- | The dice of the tournament: the same for every board, so that the boards
-- can be compared.
rolls :: [Int]
rolls = map face (tail (iterate next 4711))
  where
    next s = (s * 6364136223846793005 + 1442695040888963407) `mod` 9223372036854775807
    face s = 1 + (s `div` 4294967296) `mod` 6
