module Main (main) where

import Control.Monad (replicateM)
import Control.Monad.State.Strict (State, evalState, get, put)
import Data.List (foldl')

-- Somebody plays many games, one after the other, and counts the points.
game :: State Int Int
game = do
  seed <- get
  let next = (seed * 1103515245 + 12345) `mod` 2147483648
  put $! next
  pure $! next `div` 65536 `mod` 6 + 1

season :: Int -> State Int Int
season n = do
  scores <- replicateM n game
  pure (foldl' add 0 scores)

add :: Int -> Int -> Int
add total score = if score == 1 then total else total + score

main :: IO ()
main = print (evalState (season 300000) 4711)
