module Main (main) where

import Data.Char (ord)
import Data.List (foldl')
import System.Environment (getArgs)

import Render
import Term

-- A schedule of n tasks: each starts after the one before it has ended, and
-- the sum of the slack stays below a bound.
problem :: Int -> [Command]
problem n = map (`Declare` IntSort) (map start [1 .. n] ++ map slack [1 .. n]) ++
  [ Assert (allOf [ Const (start i) .+ Lit (i `mod` 9 - 1) .< Const (start (i + 1)) | i <- [1 .. n - 1] ])
  , Assert (sumOf (map (Const . slack) [1 .. n]) .< Lit (10 * n))
  , Assert (Ite (Const (start 1) .< Lit 5) (Not (Const (slack 1) .< Lit 0)) (Lit 1 .< Lit 2))
  , CheckSat
  ]
  where
    start i = "start" ++ show i
    slack i = "slack" ++ show i

main :: IO ()
main = do
  args <- getArgs
  let n = if null args then 2500 else read (head args)
      out = script (problem n)
      checksum = foldl' (\h c -> (h * 131 + ord c) `mod` 998244353) 17 out
  putStrLn ("commands: " ++ show (length (lines out)))
  putStrLn ("characters: " ++ show (length out))
  putStrLn ("checksum: " ++ show checksum)
