module Report (printEntry, printTotal) where

import Text.Printf (printf)

import Ledger

printEntry :: Entry -> IO ()
printEntry e =
  printf "%06d  %02d/%02d  %-12s %6d.%02d\n"
         (number e) (day e) (month e) (account e)
         (cents e `div` 100) (cents e `mod` 100)

printTotal :: Int -> IO ()
printTotal c = printf "%-28s %6d.%02d\n" "total" (c `div` 100) (c `mod` 100)
