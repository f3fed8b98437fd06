module Report (printReport) where

import Data.ByteString.Builder
import Data.List (foldl')
import System.IO (stdout)
import Invoice

printReport :: [Invoice] -> IO ()
printReport invoices = do
  let total = foldl' (+) 0 (map amount invoices)
  hPutBuilder stdout $
    render invoices <> string7 "total " <> money 0 total <> char7 '\n'

render :: [Invoice] -> Builder
render = foldMap invoiceLine

invoiceLine :: Invoice -> Builder
invoiceLine i =
  padded '0' 6 (number i) <> string7 "  " <> leftText 16 (customer i)
    <> char7 ' ' <> padded ' ' 4 (quantity i)
    <> string7 " x " <> money 5 (unitCents i)
    <> string7 " = " <> money 7 (amount i)
    <> char7 '\n'

money :: Int -> Int -> Builder
money width cents =
  padded ' ' width (cents `div` 100) <> char7 '.' <> padded '0' 2 (cents `mod` 100)

padded :: Char -> Int -> Int -> Builder
padded fill width x = filler fill (width - digits x) <> intDec x

leftText :: Int -> String -> Builder
leftText width s = string7 s <> filler ' ' (width - length s)

filler :: Char -> Int -> Builder
filler c k
  | k <= 0 = mempty
  | otherwise = char7 c <> filler c (k - 1)

digits :: Int -> Int
digits x = if x < 10 then 1 else 1 + digits (x `quot` 10)
