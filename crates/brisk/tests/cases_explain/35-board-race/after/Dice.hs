module Dice (Dice, freshDice, roll) where

newtype Dice = Dice Int

-- | The dice of the tournament: the same for every board, so that the boards
-- can be compared.
freshDice :: Dice
freshDice = Dice 4711

roll :: Dice -> (Int, Dice)
roll (Dice s) = (face s', Dice s')
  where
    s' = (s * 6364136223846793005 + 1442695040888963407) `mod` 9223372036854775807
    face x = 1 + (x `div` 4294967296) `mod` 6
