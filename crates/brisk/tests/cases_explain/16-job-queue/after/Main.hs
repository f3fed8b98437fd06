module Main (main) where

import Queue
import System.Environment (getArgs)

-- | Round-robin scheduling: a job that is not done goes to the back.

data Job = Job
  { name :: !Int
  , left :: !Int
  }

jobs :: Int -> [Job]
jobs n = [Job i (1 + i * 7 `mod` 11) | i <- [1 .. n]]

data Log = Log
  { turns :: !Int
  , digest :: !Int
  , lastDone :: !Int
  }

finish :: Int -> Log -> Log
finish j l = l {digest = (digest l * 31 + j) `mod` 1000000007, lastDone = j}

schedule :: Queue Job -> Log -> Log
schedule queue l = case pop queue of
  Nothing -> l
  Just (job, rest)
    | left job <= 1 -> schedule rest (finish (name job) l')
    | otherwise -> schedule (push job {left = left job - 1} rest) l'
  where
    l' = l {turns = turns l + 1}

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 2000
      l = schedule (fromList (jobs n)) (Log 0 0 0)
  putStrLn ("turns  " ++ show (turns l))
  putStrLn ("last   " ++ show (lastDone l))
  putStrLn ("digest " ++ show (digest l))
