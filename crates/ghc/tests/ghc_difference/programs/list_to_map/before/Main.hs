module Main (main) where

import System.Environment (getArgs)

type Table = [(Int, Int)]

note :: Int -> Table -> Table
note key [] = [(key, 1)]
note key ((known, count) : rest)
    | known == key = (known, count + 1) : rest
    | otherwise = (known, count) : note key rest

tally :: Int -> Table -> Table
tally 0 table = table
tally n table = tally (n - 1) (note (n * n `rem` 101) table)

main :: IO ()
main = do
    count <- length <$> getArgs
    print (sum (map snd (tally (1000 + count) [])))
