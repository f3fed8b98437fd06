-- A machine of six.
module Main (main) where

import System.Environment (getArgs)

data Op = Push Int | Add | Swap | Rotate | Pick Int | Dup2

instr :: Op -> [Int] -> ([Int] -> Int -> r) -> Int -> r
instr (Push n) stack next cost = next (n : stack) (cost + 1)
instr Add (x : y : stack) next cost = next (x + y : stack) (cost + 2)
instr Swap (x : y : stack) next cost = next (y : x : stack) (cost + 3)
instr Rotate (x : y : z : stack) next cost = next (z : x : y : stack) (cost + 4)
instr (Pick n) stack next cost = case drop n stack of
    x : _ -> next (x : stack) (cost + n)
    [] -> next (n : stack) (cost * 2 + n)
instr Dup2 (x : y : stack) next cost = next (x : y : x : y : stack) (cost + x - y)
instr _ stack next cost = next stack (cost + 4)

step :: Int -> [Op] -> [Int] -> Int -> Int
step 0 _ stack cost = cost + length stack
step n [] stack cost = step (n - 1) program stack cost
step n (op : ops) stack cost = instr op stack (step n ops) cost

check :: Int -> [Int] -> Int
check n stack = instr Add stack (\rest cost -> cost + length rest) n

program :: [Op]
program = [Push 1, Push 2, Swap, Add, Push 3, Add, Add]

run :: Int -> Int
run n = step (n `div` 10) program [] 0 + check n [1, 2]

main :: IO ()
main = do
    [count] <- getArgs
    print (run (read count))
