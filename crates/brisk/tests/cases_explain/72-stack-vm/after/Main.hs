module Main (main) where

import Control.Monad.State.Strict (StateT, execStateT)
import Data.Array (Array, listArray)
import System.Environment (getArgs)

import VM

-- Sum of squares modulo a prime, counting down from n.
program :: Int -> Array Int Instr
program n = listArray (0, length code - 1) code
  where
    code =
      [ Push n, Store 0          -- i = n
      , Push 0, Store 1          -- acc = 0
      , Load 0, JumpIfZero 18    -- while i /= 0
      , Load 0, Load 0, Mul
      , Load 1, Add
      , Push 99991, Mod, Store 1 --   acc = (acc + i * i) mod 99991
      , Load 0, Push 1, Sub      --   i = i - 1
      , Jump 20
      , Load 1, Jump 22
      , Store 0, Jump 4
      , Print, Halt
      ]

type Run = StateT Machine (Either VMError)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        [s] -> read s
        _   -> 120000
  case execStateT (execute (program n) :: Run ()) boot of
    Left err -> putStrLn ("machine stopped: " ++ show err)
    Right m  -> do
      putStrLn ("output: " ++ unwords (map show (reverse (output m))))
      putStrLn ("ticks:  " ++ show (ticks m))
