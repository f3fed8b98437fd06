module Main (main) where

import System.Environment (getArgs)
import Heatmap
import Robot

main :: IO ()
main = do
  [arg] <- getArgs
  let size = (64, 40)
      grid = heatmap size (walk size (read arg))
  mapM_ putStrLn (render grid)
  putStrLn "hottest cells:"
  mapM_ print (hottest 5 grid)
