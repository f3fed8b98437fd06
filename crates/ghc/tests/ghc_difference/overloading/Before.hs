-- A function for all numbers, of which GHC may make a copy where it is used.
module Main (main) where

import System.Environment (getArgs)

norm :: (Integral a, Show a) => a -> a -> a
norm 0 total = total
norm n total
    | even n = norm (n - 1) (total + n)
    | length (show total) > 40 = total
    | otherwise = norm (n - 1) (total - 1)

main :: IO ()
main = do
    [count] <- getArgs
    print (norm (read count :: Int) 0)
