module Main (main) where

import Primes
import System.Environment (getArgs)

-- | Sums of divisors; lists the numbers that equal the sum of their parts.
properDivisors :: Int -> Int
properDivisors n = divisorSum (factorise n) - n

divisorSum :: [(Int, Int)] -> Int
divisorSum fs = product [(p ^ (k + 1) - 1) `div` (p - 1) | (p, k) <- fs]

data Kind = Poor | Perfect | Rich
  deriving (Eq)

kind :: Int -> Kind
kind n = case compare (properDivisors n) n of
  LT -> Poor
  EQ -> Perfect
  GT -> Rich

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 70000
      kinds = [(k, i) | i <- [2 .. n], let k = kind i]
  putStrLn ("perfect " ++ show [i | (Perfect, i) <- kinds])
  putStrLn ("rich    " ++ show (length (filter ((== Rich) . fst) kinds)))
