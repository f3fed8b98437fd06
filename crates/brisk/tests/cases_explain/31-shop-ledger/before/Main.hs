module Main (main) where

import System.Environment (getArgs)

import Ledger

-- A made-up but repeatable day at the shop.
dayOf :: Int -> [Entry]
dayOf n = go n 20210
  where
    go :: Int -> Int -> [Entry]
    go 0 _ = []
    go k s =
      let s' = (s * 1103515245 + 12345) `mod` 2147483648
          r  = s' `div` 65536
          kind | r `mod` 11 == 0 = Refund
               | r `mod` 17 == 0 = Adjustment
               | otherwise       = Sale
      in Entry kind (50 + r `mod` 9000) (1 + r `mod` 6) : go (k - 1) s'

euros :: Int -> String
euros c = show (c `div` 100) ++ "." ++ pad (show (c `mod` 100))
  where pad [d] = ['0', d]
        pad ds  = ds

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
            (a:_) -> read a
            []    -> 900000
      ledger = closeDay (dayOf n)
  putStrLn $ "receipts:    " ++ show (receipts ledger)
  putStrLn $ "turnover:    " ++ euros (turnover ledger)
  putStrLn $ "refunded:    " ++ euros (refunded ledger)
  putStrLn $ "adjustments: " ++ show (adjusted ledger)
  putStrLn $ "net income:  " ++ euros (netIncome ledger)
  putStrLn $ "last till:   " ++ show (lastTill ledger)
