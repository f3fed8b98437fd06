module Main (main) where

import System.Environment (getArgs)
import Text.Printf (printf)

import Station

main :: IO ()
main = do
  [a] <- getArgs
  let n = read a
  printf "radiated %.3f\n" (radiated (readings n))
  printf "mean %.5f\n" (meanTemperature (readings n))
