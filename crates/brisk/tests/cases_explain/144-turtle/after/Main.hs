module Main (main) where

import System.Environment (getArgs)
import Turtle

-- A square spiral with k sides: the inner spiral first, then one more side.
spiral :: Int -> Turtle Int
spiral 0 = return 0
spiral k = do
  crossings <- spiral (k - 1)
  side k
  (x, y) <- position
  return (if x == y then crossings + 1 else crossings)

side :: Int -> Turtle ()
side k = do
  forward (1 + k `div` 2)
  turnRight

main :: IO ()
main = do
  [n] <- getArgs
  let (crossings, pen) = runTurtle (spiral (read n)) (Pen 0 0 0 1 0)
  putStrLn ("end: " ++ show (px pen, py pen))
  putStrLn ("ink: " ++ show (ink pen))
  putStrLn ("on the diagonal: " ++ show crossings)
