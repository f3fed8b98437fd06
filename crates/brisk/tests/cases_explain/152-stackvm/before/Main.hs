module Main (main) where

import Control.Monad.Reader (runReaderT)
import Control.Monad.State.Strict (runStateT)
import System.Environment (getArgs)
import System.Exit (exitFailure)

import Machine

-- Cells of the memory used by the program below.
counter, total, square :: Int
counter = 0
total   = 1
square  = 2

-- Sums (i * i) mod 97 for i = n .. 1, printing the total now and then.
example :: Int -> Program
example n = assemble
  [ Push n, Store counter
  , Push 0, Store total
  -- 4: loop head
  , Load counter, JumpZero 28
  , Load counter, Load counter, Mul, Push 97, Mod, Store square
  , Load total, Load square, Add, Store total
  -- 16: report every 5000 rounds
  , Load counter, Push 5000, Mod, JumpZero 21
  , Jump 23
  , Load total, Out
  -- 23: next round
  , Load counter, Push 1, Sub, Store counter
  , Jump 4
  -- 28: done
  , Load total, Out
  , Halt
  ]

main :: IO ()
main = do
  [arg] <- getArgs
  case runStateT (runReaderT run (example (read arg))) boot of
    Left fault -> do
      putStrLn ("machine stopped: " ++ show fault)
      exitFailure
    Right ((), m) -> do
      mapM_ print (reverse (output m))
      putStrLn ("ticks: " ++ show (ticks m))
      putStrLn ("stack: " ++ show (stack m))
