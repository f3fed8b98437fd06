module Report (printReport) where

import Data.List (foldl')
import Text.Printf (printf)
import Invoice

printReport :: [Invoice] -> IO ()
printReport invoices = do
  putStr (render invoices)
  let total = foldl' (+) 0 (map amount invoices)
  printf "total %d.%02d\n" (total `div` 100) (total `mod` 100)

render :: [Invoice] -> String
render = concatMap invoiceLine

invoiceLine :: Invoice -> String
invoiceLine i =
  printf "%06d  %-16s %4d x %5d.%02d = %7d.%02d\n"
    (number i) (customer i) (quantity i)
    (unitCents i `div` 100) (unitCents i `mod` 100)
    (amount i `div` 100) (amount i `mod` 100)
