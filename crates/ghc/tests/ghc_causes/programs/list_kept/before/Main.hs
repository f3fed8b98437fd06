module Main (main) where

import Data.List (foldl')

mean :: [Int] -> Int
mean xs = foldl' (+) 0 xs `div` length xs
{-# NOINLINE mean #-}

numbers :: Int -> [Int]
numbers n = go n 1
  where
    go :: Int -> Int -> [Int]
    go 0 _ = []
    go k x = x : go (k - 1) (x * 75 `mod` 65537)
{-# NOINLINE numbers #-}

main :: IO ()
main = print (mean (numbers 200000))
