module Main (main) where

import Control.Monad.State.Strict
import System.Environment (getArgs)
import Machine
import Programs

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
  report "triangle" (execStateT (runMachine (triangle n)) emptyVM)
  report "alternating" (execStateT (runMachine (alternating n)) emptyVM)
  report "broken" (execStateT (runMachine broken) emptyVM)

report :: String -> Either String VM -> IO ()
report name result = putStrLn $ name ++ ": " ++ case result of
  Left err -> "error: " ++ err
  Right vm -> show (vmStack vm) ++ " after " ++ show (vmTicks vm) ++ " steps"
