module Main (main) where

import System.Environment (getArgs)
import Table (find)

main :: IO ()
main = do
    count <- length <$> getArgs
    let table = [(n, n * n) | n <- [0 .. 100 + count]]
    print (sum [find key table | key <- [0 .. 100]])
