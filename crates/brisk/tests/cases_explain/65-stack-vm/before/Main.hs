module Main (main) where

import Control.Monad.State.Strict (State, execState)
import Data.Array (Array, listArray)
import System.Environment (getArgs)

import Machine

-- b := (b * 31 + a) mod 65521; a := a - 1; loop while a > 0
program :: Array Int Op
program = listArray (0, length ops - 1) ops
  where
    ops =
      [ Load 1, Push 31, Mul, Load 0, Add, ModBy 65521, Store 1
      , Load 0, Push (-1), Add, Store 0
      , Load 0, JumpIfPos 0
      , Halt
      ]

execute :: State Machine () -> Int -> Machine
execute act = execState act . boot

main :: IO ()
main = do
  args <- getArgs
  let n   = if null args then 240000 else read (head args)
      end = execute (runProgram program) n
  putStrLn ("steps " ++ show (steps end))
  putStrLn ("a     " ++ show (regA end))
  putStrLn ("b     " ++ show (regB end))
