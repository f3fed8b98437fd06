module Main (main) where

-- What runs is at hand, and around it is a list, from the inside out.
data Around = Top | Within !Int Around

data Code = Code Around !Int

data Step = More Code | Done

step :: Code -> Step
step (Code Top 0) = Done
step (Code (Within again around) 0)
  | again == 0 = step (Code around 0)
  | otherwise = More (Code (Within (again - 1) around) 0)
step (Code around n) = More (Code around (n - 1))

eval :: Int -> Code -> Int
eval count code = case step code of
  More code' -> eval (count + 1) code'
  Done -> count

main :: IO ()
main = print (eval 0 (Code (foldr Within Top [0, 0, 0, 0, 0, 0, 0]) 200))
