module Main (main) where

import System.Environment (getArgs)

import Ledger
import Report

main :: IO ()
main = do
  [arg] <- getArgs
  let es = entries (read arg)
  mapM_ printEntry es
  printTotal (balance es)
