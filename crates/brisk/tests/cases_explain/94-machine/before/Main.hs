module Main (main) where

import Control.Monad.State.Strict (execStateT)
import Data.Array (Array, listArray)
import qualified Data.IntMap.Strict as IntMap
import System.Environment (getArgs)

import Machine

-- | Counts memory cell 0 down and mixes numbers in cell 1.
mixer :: Array Int Instr
mixer = listArray (0, length code - 1) code
  where
    code =
      [ Load 0, JumpIfZero 13
      , Load 1
      , Push 31, Mul
      , Load 0
      , Add
      , Push 65521, Mod
      , Store 1
      , Load 0
      , Push (-1)
      , Jump 14
      , Halt
      , Add
      , Store 0
      , Jump 0
      ]

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  case execStateT (runProgram mixer) (newMachine (IntMap.fromList [(0, n), (1, 7)])) of
    Left err -> putStrLn ("stopped: " ++ err)
    Right m  -> do
      putStrLn ("steps " ++ show (steps m))
      mapM_ (\(a, x) -> putStrLn (show a ++ ": " ++ show x)) (IntMap.toList (memory m))
