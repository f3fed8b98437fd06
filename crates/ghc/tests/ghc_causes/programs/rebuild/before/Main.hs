module Main (main) where

-- What runs is at the bottom of all loops that were entered.
data Code = Run !Int | Inside !Int Code

data Step = More Code | Done

step :: Code -> Step
step (Run 0) = Done
step (Run n) = More (Run (n - 1))
step (Inside again code) = case step code of
  More code' -> More (Inside again code')
  Done
    | again == 0 -> Done
    | otherwise -> More (Inside (again - 1) code)

eval :: Int -> Code -> Int
eval count code = case step code of
  More code' -> eval (count + 1) code'
  Done -> count

main :: IO ()
main = print (eval 0 (foldr Inside (Run 200) [0, 0, 0, 0, 0, 0, 0]))
