-- What happens is put before what happened already.
module Main (main) where

import System.Environment (getArgs)

events :: Int -> [Int] -> [Int]
events 0 before = reverse before
events n before = events (n - 1) (n * 2 : n : before)

main :: IO ()
main = do
    [count] <- getArgs
    print (sum (events (read count) []))
