module Main (main) where

import Control.Monad.Except
import Control.Monad.State.Strict
import System.Environment (getArgs)
import VM

type Run = StateT Machine (Either Fault)

-- | Sums the squares of n, n-1, … 1.
program :: Program
program =
  load
    [ Load 0
    , JumpZero 13
    , Load 0
    , Load 0
    , Mul
    , Load 1
    , Add
    , Store 1
    , Load 0
    , Push 1
    , Sub
    , Store 0
    , Jump 0
    , Halt
    ]

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 160000
  case execStateT (runProgram program :: Run ()) (boot n) of
    Left fault -> putStrLn ("fault: " ++ show fault)
    Right m -> do
      putStrLn ("result " ++ show (register 1 m))
      putStrLn ("steps  " ++ show (ticks m))
