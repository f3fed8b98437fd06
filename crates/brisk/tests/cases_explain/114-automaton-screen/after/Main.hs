module Main (main) where

import Control.Monad (when)
import System.Environment (getArgs)

import Automaton
import Screen

main :: IO ()
main = do
  [arg] <- getArgs
  prepare
  loop (read arg) 0 (firstRow 120)

loop :: Int -> Int -> Row -> IO ()
loop limit g row
  | g >= limit = status g (population row)
  | otherwise = do
      drawRow row
      when (g `mod` 100 == 99) $ status g (population row)
      loop limit (g + 1) (advance 110 row)
