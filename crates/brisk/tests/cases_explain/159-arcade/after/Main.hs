module Main (main) where

import System.Environment (getArgs)

import Game
import Screen

play :: Int -> Game -> IO Game
play 0 g = return g
play n g = do
  draw (frame width height (picture g))
  putStrLn ("score " ++ show (score g))
  play (n - 1) (tick g)

main :: IO ()
main = do
  [arg] <- getArgs
  prepare
  banner "demonstration"
  end <- play (read arg) newGame
  banner ("final score " ++ show (score end))
