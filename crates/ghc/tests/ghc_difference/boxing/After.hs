-- In one case the loop does without its sum, so that it is put off.
module Main (main) where

import System.Environment (getArgs)

gather :: Int -> Int -> Int -> Int
gather 0 total _ = total
gather n total worst
    | n == worst = 0
    | n > worst = gather (n - 1) (total + n) worst
    | otherwise = gather (n - 1) (total - n) worst

main :: IO ()
main = do
    [count] <- getArgs
    print (gather (read count) 0 (negate 100))
