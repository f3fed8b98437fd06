module Main (main) where

import Data.List (foldl')

data Sum = Sum !Int !Int

mean :: [Int] -> Int
mean xs = case foldl' add (Sum 0 0) xs of Sum total count -> total `div` count
  where
    add (Sum total count) x = Sum (total + x) (count + 1)
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
