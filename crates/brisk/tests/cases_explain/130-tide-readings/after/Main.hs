module Main (main) where

import System.Environment (getArgs)
import Text.Printf (printf)

import Tide

main :: IO ()
main = do
  [a] <- getArgs
  let s = summarise (levels (read a))
  printf "average %.4f m\n" (average s)
  printf "high %.3f m, low %.3f m\n" (highest s) (lowest s)
