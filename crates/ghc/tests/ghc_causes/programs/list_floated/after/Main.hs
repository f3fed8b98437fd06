{-# OPTIONS_GHC -fno-full-laziness #-}
module Main (main) where

import Data.List (foldl', subsequences)

best :: [Int] -> [Int] -> [Int]
best weights = map heaviest
  where
    heaviest limit = foldl' (heavier limit) 0 (subsequences weights)

heavier :: Int -> Int -> [Int] -> Int
heavier limit most chosen = if total > limit then most else max most total
  where
    total = sum chosen
{-# NOINLINE heavier #-}

main :: IO ()
main = print (best [k * 37 `mod` 91 | k <- [1 .. 16]] [100, 200, 300])
