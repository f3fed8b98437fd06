module Dice (Table, Score (..), roll, game) where

import Control.Monad.State.Strict

-- | A seat at the table: computations that consume randomness.
type Table = State Int

data Score = Score
  { home :: !Int
  , away :: !Int
  }

roll :: Int -> Table Int
roll sides = do
  seed <- get
  let seed' = (seed * 1103515245 + 12345) `mod` 2147483648
  put $! seed'
  pure $! 1 + (seed' `div` 65536) `mod` sides

-- | Two dice each; the home side may roll once more after a double.
game :: Table Score
game = do
  a <- roll 6
  b <- roll 6
  bonus <- if a == b then roll 6 else pure 0
  c <- roll 6
  d <- roll 6
  pure (Score (a + b + bonus) (c + d))
