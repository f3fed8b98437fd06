module Main (main) where

-- What a rule does is told from what it is.
data Rule = Halve | Up | Triple

rules :: [Rule]
rules = [Halve, Up, Triple]
{-# NOINLINE rules #-}

step :: [Rule] -> Int -> Int
step [] n = n
step (rule : rest) n = case rule of
  Halve | even n -> n `quot` 2
  Up | n `rem` 3 == 0 -> n + 1
  Triple -> 3 * n + 1
  _ -> step rest n

steps :: Int -> Int -> Int
steps count 1 = count
steps count n = steps (count + 1) (step rules n)

main :: IO ()
main = print (sum [steps 0 n | n <- [1 .. 60]])
