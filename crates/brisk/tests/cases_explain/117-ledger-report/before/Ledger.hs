module Ledger
  ( Entry(..)
  , entries
  , balance
  ) where

import Data.List (foldl')

data Entry = Entry
  { number  :: !Int
  , day     :: !Int
  , month   :: !Int
  , account :: String
  , cents   :: !Int
  }

entries :: Int -> [Entry]
entries n = go 1 12345
  where
    go :: Int -> Int -> [Entry]
    go i seed
      | i > n = []
      | otherwise = Entry i (1 + i `mod` 28) (1 + (i `div` 28) `mod` 12)
                          (names !! (seed `mod` 5)) (seed `mod` 500000)
                    : go (i + 1) ((seed * 1103 + 12345) `mod` 2147483)
    names = ["rent", "groceries", "books", "travel", "insurance"]

balance :: [Entry] -> Int
balance = foldl' (\s e -> s + cents e) 0
