-- A machine of which others see the loop alone.
module Main (main) where

import System.Environment (getArgs)

data Op = Push Int | Add | Swap

execute :: Op -> [Int] -> ([Int] -> Int -> r) -> Int -> r
execute (Push n) stack next cost = next (n : stack) (cost + 1)
execute Add (x : y : stack) next cost = next (x + y : stack) (cost + 2)
execute Add stack next cost = next stack (cost + length stack)
execute Swap (x : y : stack) next cost = next (y : x : stack) (cost + 3)
execute Swap stack next cost = next stack (cost + length stack)

run :: Int -> [Op] -> [Int] -> Int -> Int
run 0 _ stack cost = cost + sum stack
run n [] stack cost = run (n - 1) program stack cost
run n (op : ops) stack cost = execute op stack (run n ops) cost

program :: [Op]
program = [Push 1, Push 2, Swap, Add, Push 3, Add, Add]

main :: IO ()
main = do
    [count] <- getArgs
    print (run (read count) program [] 0)
