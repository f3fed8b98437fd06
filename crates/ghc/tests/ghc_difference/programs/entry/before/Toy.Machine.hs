{-# OPTIONS_GHC -fno-worker-wrapper #-}
module Toy.Machine (run, forward, back) where

run :: Monad m => Int -> Int -> m Int
run 0 total = pure total
run left total
    | even total = forward left total
    | otherwise = back left total

forward :: Monad m => Int -> Int -> m Int
forward left total = do
    more <- pure (total * 3 `mod` 1009 + left)
    run (left - 1) more

back :: Monad m => Int -> Int -> m Int
back left total = do
    less <- pure (total * 7 `mod` 997 - left)
    run (left - 1) less
