module Ledger
  ( Entry (..)
  , exampleFile
  , parseLedger
  , balance
  ) where

import qualified Data.ByteString.Char8 as B
import Data.List (foldl')

data Entry = Entry
  { day :: !Int
  , account :: !Int
  , amount :: !Int
  }

exampleFile :: Int -> B.ByteString
exampleFile n = B.unlines (map row [1 .. n])
  where
    row i =
      B.intercalate (B.pack ";")
        [ B.pack (show (20200000 + i `mod` 365))
        , B.pack (show (i * 17 `mod` 901))
        , B.pack (show ((i * 7919) `mod` 100003 - 50000))
        ]

parseLedger :: B.ByteString -> [Entry]
parseLedger = map parseEntry . B.lines

parseEntry :: B.ByteString -> Entry
parseEntry l = case B.split ';' l of
  [d, a, m] -> Entry (number d) (number a) (number m)
  _ -> error ("bad line: " ++ B.unpack l)

number :: B.ByteString -> Int
number = read . B.unpack

balance :: [Entry] -> Int
balance = foldl' (\acc e -> acc + sign e * amount e) 0
  where
    sign e = if even (account e + day e) then 1 else -1
