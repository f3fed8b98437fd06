module Main (main) where

import System.Environment (getArgs)
import Currency
import Payments

main :: IO ()
main = do
  [arg] <- getArgs
  let ps = payments (read arg)
      table = rateTable dailyRates
      results = [ convert table (payCode p) (payCents p) | p <- ps ]
      good = [ c | Right c <- results ]
      bad = [ e | Left e <- results ]
  putStrLn ("converted " ++ show (length good) ++ ", total " ++ show (sum good))
  putStrLn ("rejected " ++ show (length bad))
  mapM_ putStrLn (take 3 bad)
