-- A small function that GHC inlines into the loop.
module Main (main) where

import System.Environment (getArgs)

scale :: Int -> Int -> (Int, Int)
scale k x = (k * x + 1, x - k)

walk :: Int -> Int -> Int -> Int
walk _ 0 total = total
walk k n total = case scale k n of (up, down) -> walk k (n - 1) (total + up - down)
{-# NOINLINE walk #-}

main :: IO ()
main = do
    [count] <- getArgs
    print (walk 3 (read count) 0)
