module Report (printEntry, printTotal) where

import Data.ByteString.Builder
import System.IO (stdout)

import Ledger

printEntry :: Entry -> IO ()
printEntry e = hPutBuilder stdout $
     padLeft '0' 6 (number e) <> string7 "  "
  <> padLeft '0' 2 (day e) <> char7 '/' <> padLeft '0' 2 (month e)
  <> string7 "  " <> padRight 12 (account e) <> char7 ' '
  <> money (cents e) <> char7 '\n'

printTotal :: Int -> IO ()
printTotal c = hPutBuilder stdout $
  padRight 28 "total" <> char7 ' ' <> money c <> char7 '\n'

money :: Int -> Builder
money c = padLeft ' ' 6 (c `div` 100) <> char7 '.' <> padLeft '0' 2 (c `mod` 100)

padLeft :: Char -> Int -> Int -> Builder
padLeft fill width n = string7 (replicate (width - digits n) fill) <> intDec n

padRight :: Int -> String -> Builder
padRight width s = string7 s <> string7 (replicate (width - length s) ' ')

digits :: Int -> Int
digits n = if n < 10 then 1 else 1 + digits (n `div` 10)
