module Main (main) where

import System.Environment (getArgs)

import Script
import Turtle

spiral :: Int -> Script Int
spiral 0 = return 0
spiral n = do
  corners <- spiral (n - 1)
  forward n
  turn 90
  h <- heading
  return (if h == 0 then corners + 1 else corners)

main :: IO ()
main = do
  [a] <- getArgs
  let (rounds, t) = runTurtle (spiral (read a)) start
  putStrLn (show rounds ++ " full rounds")
  print t
