module Main (main) where

import System.Environment (getArgs)

import Arena
import Tally

main :: IO ()
main = do
  [arg] <- getArgs
  let (end, tally) = contest (read arg) newArena
  putStrLn ("red " ++ describe (red end))
  putStrLn ("blue " ++ describe (blue end))
  putStrLn ("won by red: " ++ show (wins end))
  mapM_ putStrLn (summary tally)
  where
    describe f = "#" ++ show (name f) ++ " with " ++ show (health f)
