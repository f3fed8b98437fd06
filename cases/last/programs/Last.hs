-- | A list of 1 to N, and its last element.
module Main (main) where

import System.Environment (getArgs)
import System.Exit (die)

-- Neither is inlined, so that no fusion does away with the list.
lazy :: Int -> [Int]
lazy n = from 1
  where
    from i = if i > n then [] else i : from (i + 1)
{-# NOINLINE lazy #-}

accumulated :: Int -> [Int]
accumulated n = downFrom n []
  where
    downFrom :: Int -> [Int] -> [Int]
    downFrom 0 tail' = tail'
    downFrom i tail' = downFrom (i - 1) (i : tail')
{-# NOINLINE accumulated #-}

main :: IO ()
main = do
  arguments <- getArgs
  case arguments of
    ["lazy", n] -> print (last (lazy (read n)))
    ["accumulated", n] -> print (last (accumulated (read n)))
    _ -> die "usage: last lazy|accumulated N"
