module Main (main) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import Data.Array (Array, listArray)
import System.Environment (getArgs)

import Machine

type App = ReaderT Limits (StateT Machine (Either Fault))

-- slot 0 counts down, slot 1 is a running linear congruence
program :: Int -> Array Int Op
program n = listArray (0, length ops - 1) ops
  where
    ops =
      [ Push n, Store 0, Push 7, Store 1
      , Load 1, Push 1103, Mul, Push 12345, Add, Push 65521, Mod, Store 1
      , Load 0, Push 1, Sub, Store 0
      , Load 0, JumpIfPos 4
      , Load 1, Halt ]

runProgram :: Limits -> Array Int Op -> Either Fault (Int, Machine)
runProgram limits prog = runStateT (runReaderT app limits) blank
  where
    app :: App Int
    app = exec prog

main :: IO ()
main = do
  args <- getArgs
  let n = case args of { a : _ -> read a; [] -> 90000 }
  report "full" (runProgram (Limits maxBound) (program n))
  report "cut " (runProgram (Limits 1000) (program n))
  where
    report name r = putStrLn $ name ++ ": " ++ case r of
      Left fault   -> show fault
      Right (x, m) -> show x ++ " after " ++ show (ticks m) ++ " ticks"
