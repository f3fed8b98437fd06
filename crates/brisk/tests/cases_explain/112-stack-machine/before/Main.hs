module Main (main) where

import Control.Monad.State.Strict
import qualified Data.IntMap.Strict as IM
import System.Environment (getArgs)

import Machine
import Programs

main :: IO ()
main = do
  [arg] <- getArgs
  case execStateT (runProgram (sumOfSquares (read arg))) boot of
    Left fault -> putStrLn ("fault: " ++ show fault)
    Right vm -> do
      putStrLn ("ticks: " ++ show (ticks vm))
      mapM_ (\(r, x) -> putStrLn ("r" ++ show r ++ " = " ++ show x))
            (IM.toList (regs vm))
