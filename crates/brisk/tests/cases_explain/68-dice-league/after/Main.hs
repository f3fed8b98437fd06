module Main (main) where

import Control.Monad.State.Strict (runState)
import System.Environment (getArgs)

import League

main :: IO ()
main = do
  args <- getArgs
  let n = if null args then 2500000 else read (head args)
      (final, seed) = runState (season n) 20231
  putStrLn ("home wins: " ++ show (wins final))
  putStrLn ("draws:     " ++ show (draws final))
  putStrLn ("away wins: " ++ show (losses final))
  putStrLn ("pips:      " ++ show (pips final))
  putStrLn ("seed:      " ++ show seed)
