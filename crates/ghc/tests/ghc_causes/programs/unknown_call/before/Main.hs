module Main (main) where

-- What a rule does is a function in it.
data Rule = Rule (Int -> Bool) (Int -> Int)

rules :: [Rule]
rules = [Rule even (`quot` 2), Rule (\n -> n `rem` 3 == 0) (+ 1), Rule (const True) (\n -> 3 * n + 1)]
{-# NOINLINE rules #-}

step :: [Rule] -> Int -> Int
step [] n = n
step (Rule matches change : rest) n
  | matches n = change n
  | otherwise = step rest n

steps :: Int -> Int -> Int
steps count 1 = count
steps count n = steps (count + 1) (step rules n)

main :: IO ()
main = print (sum [steps 0 n | n <- [1 .. 60]])
