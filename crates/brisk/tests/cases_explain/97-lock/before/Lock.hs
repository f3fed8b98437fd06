module Lock (Wheel, Clue (..), combinations, agrees) where

type Wheel = [Int]

-- | What somebody saw: a guess, how many wheels were right.
data Clue = Clue [Int] Int

-- | All settings of a lock with these wheels, in order.
combinations :: [Wheel] -> [[Int]]
combinations wheels = sequence wheels

agrees :: [Clue] -> [Int] -> Bool
agrees clues setting = all fits clues
  where
    fits (Clue guess right) = matches guess setting == right

matches :: [Int] -> [Int] -> Int
matches xs ys = length (filter id (zipWith (==) xs ys))
