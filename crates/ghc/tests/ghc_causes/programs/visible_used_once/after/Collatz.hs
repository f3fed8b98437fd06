module Collatz (State (..), collatz) where

data State = State Int Int

data Outcome = Next State | Stop Int

-- Too large to be copied to where it is used, unless that is the only place.
advance :: Int -> State -> (Outcome -> Int) -> Int
advance limit (State n steps) k
  | n == 1 = k (Stop steps)
  | steps > limit = k (Stop (negate steps))
  | n `rem` 2 == 0 = k (Next (State (n `quot` 2) (steps + 1)))
  | n `rem` 3 == 0, n > 1000000 = k (Next (State (3 * n + 1) (steps + 1)))
  | n `rem` 5 == 0, n > 2000000 = k (Next (State (3 * n + 1) (steps + 1)))
  | otherwise = k (Next (State (3 * n + 1) (steps + 1)))

collatz :: Int -> State -> Int
collatz limit state = advance limit state again
  where
    again (Next next) = collatz limit next
    again (Stop steps) = steps
