module Main (main) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import Data.Array
import System.Environment (getArgs)

import Machine

-- B := sum of k*k mod 1000003 while counting A down to zero
program :: Program
program = listArray (0, length code - 1) code
  where
    code =
      [ Load 0, JumpIfZero 12
      , Load 1, Load 0, Dup, Mul, Add, Store 1
      , Load 0, Push 1, Sub, Jump 13
      , Halt
      , Store 0, Jump 0
      ]

execute :: Int -> Either Fault (Int, Machine)
execute n = runExcept (runStateT (runReaderT run program) (boot n))

main :: IO ()
main = do
  [a] <- getArgs
  case execute (read a) of
    Left e       -> putStrLn ("fault: " ++ show e)
    Right (r, m) -> putStrLn (show r ++ " after " ++ show (steps m) ++ " steps")
