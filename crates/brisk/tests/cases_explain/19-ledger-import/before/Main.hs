module Main (main) where

import Ledger
import System.Environment (getArgs)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 120000
      entries = parseLedger (exampleFile n)
  putStrLn ("entries " ++ show (length entries))
  putStrLn ("balance " ++ show (balance entries))
  putStrLn ("largest " ++ show (maximum (map amount entries)))
