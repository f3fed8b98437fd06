-- What to do with a number is decided and done at once.
module Main (main, advance) where

import System.Environment (getArgs)

digits :: Int -> Int
digits 0 = 0
digits n = 1 + digits (n `div` 10)
{-# NOINLINE digits #-}

advance :: Int -> Int -> Int
advance n total = case digits n of
    1 -> total + n
    2 -> total - n
    _ -> if even n then total else total * n
{-# NOINLINE advance #-}

walk :: Int -> Int -> Int
walk 0 total = total
walk n total = walk (n - 1) (advance n total)

main :: IO ()
main = do
    [count] <- getArgs
    print (walk (read count) 0)
