module Dice (Cup, newCup, throwDie, playRound, Round (..)) where

import Data.IORef

newtype Cup = Cup (IORef Int)

data Round = Round { points :: !Int, throws :: !Int, bust :: !Bool }

newCup :: Int -> IO Cup
newCup seed = Cup <$> newIORef seed

throwDie :: Cup -> IO Int
throwDie (Cup ref) = do
  x <- readIORef ref
  let y = (x * 1103515245 + 12345) `mod` 2147483648
  writeIORef ref $! y
  return $! (y `div` 65536) `mod` 6 + 1

-- | The game of pig: throw until a one or until twenty points are held.
playRound :: Cup -> IO Round
playRound cup = go 0 0
  where
    go total k
      | total >= 20 = return (Round total k False)
      | otherwise = do
          d <- throwDie cup
          if d == 1
            then return (Round 0 (k + 1) True)
            else go (total + d) (k + 1)
