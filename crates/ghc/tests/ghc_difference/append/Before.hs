-- What happens is appended to what happened before.
module Main (main) where

import System.Environment (getArgs)

events :: Int -> [Int] -> [Int]
events 0 before = before
events n before = events (n - 1) (before ++ [n, n * 2])

main :: IO ()
main = do
    [count] <- getArgs
    print (sum (events (read count) []))
