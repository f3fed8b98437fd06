module Main (main) where

import System.Environment (getArgs)

import Cpu
import Memory

-- | Reads a count, prints the triangular number of that count, then the sum of
-- all triangular numbers up to it.
triangles :: [Int]
triangles =
  [ 3, 40              -- 0: count <- input
  , 1001, 41, 1, 41    -- 2: i <- i + 1
  , 1, 42, 41, 42      -- 6: t <- t + i
  , 1, 43, 42, 43      -- 10: s <- s + t
  , 7, 41, 40, 44      -- 14: more <- i < count
  , 1005, 44, 2        -- 18: loop while more
  , 4, 42              -- 21
  , 4, 43              -- 23
  , 99                 -- 25
  ]

main :: IO ()
main = do
  [arg] <- getArgs
  let result = run [read arg] (fromProgram 4096 triangles)
  putStrLn ("output: " ++ unwords (map show (outputs result)))
  putStrLn ("steps: " ++ show (steps result))
  mapM_ (\(a, x) -> putStrLn (show a ++ ": " ++ show x)) (dump (final result))
