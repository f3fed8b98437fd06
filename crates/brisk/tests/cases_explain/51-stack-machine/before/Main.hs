module Main (main) where

import Code
import Control.Monad.Reader
import Control.Monad.State.Strict
import Machine
import System.Environment (getArgs)

main :: IO ()
main = do
  args <- getArgs
  let rounds = case args of
        (a : _) -> read a
        _ -> 60000
  case runReaderT (execStateT runToHalt boot) (congruence rounds) of
    Left trap -> putStrLn ("trap: " ++ show trap)
    Right m -> do
      putStrLn ("emitted: " ++ unwords (map show (reverse (emitted m))))
      putStrLn ("ticks:   " ++ show (ticks m))
