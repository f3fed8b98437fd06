-- A machine of three instructions, small enough to be part of the loop.
module Main (main) where

import System.Environment (getArgs)

data Op = Push Int | Add | Swap

instr :: Op -> [Int] -> ([Int] -> Int -> r) -> Int -> r
instr (Push n) stack next cost = next (n : stack) (cost + 1)
instr Add (x : y : stack) next cost = next (x + y : stack) (cost + 2)
instr Swap (x : y : stack) next cost = next (y : x : stack) (cost + 3)
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
