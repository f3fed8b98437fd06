module Main (main) where

import System.Environment (getArgs)
import Invoice
import Report

main :: IO ()
main = do
  [arg] <- getArgs
  printReport (sampleInvoices (read arg))
