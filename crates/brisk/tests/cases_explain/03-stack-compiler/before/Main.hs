module Main (main) where

import Compile (compile)
import Expr (sample)
import Machine (run)
import System.Environment (getArgs)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 6000
      code = compile (sample n)
  putStrLn ("instructions: " ++ show (length code))
  putStrLn ("result: " ++ show (run code))
