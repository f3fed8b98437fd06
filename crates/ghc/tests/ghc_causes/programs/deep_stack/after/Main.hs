{-# LANGUAGE BangPatterns #-}

module Main (main) where

import Control.Monad.State.Strict (State, evalState, get, put)

-- Somebody plays many games, one after the other, and counts the points.
game :: State Int Int
game = do
  seed <- get
  let next = (seed * 1103515245 + 12345) `mod` 2147483648
  put $! next
  pure $! next `div` 65536 `mod` 6 + 1

season :: Int -> State Int Int
season n = go n 0
  where
    go :: Int -> Int -> State Int Int
    go 0 !total = pure total
    go left !total = do
      score <- game
      go (left - 1) (add total score)

add :: Int -> Int -> Int
add total score = if score == 1 then total else total + score

main :: IO ()
main = print (evalState (season 300000) 4711)
