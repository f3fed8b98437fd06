module Main (main) where

import System.Environment (getArgs)

import Machine
import Program

main :: IO ()
main = do
  args <- getArgs
  let size = case args of
        [a] -> read a
        _   -> 30000
      (ticks, mem) = execute (sieve size) (boot size)
      primes = [i | (i, 0) <- cells mem, i >= 2]
  putStrLn ("ticks:  " ++ show ticks)
  putStrLn ("primes: " ++ show (length primes))
  putStrLn ("last:   " ++ unwords (map show (drop (length primes - 5) primes)))
  putStrLn ("sum:    " ++ show (sum primes))
