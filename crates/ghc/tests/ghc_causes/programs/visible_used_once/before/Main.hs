module Main (main) where

import Collatz

main :: IO ()
main = print (sum [collatz 500 (State n 0) | n <- [1 .. 100]])
