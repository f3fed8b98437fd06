{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import Csv
import qualified Data.Text as T
import System.Environment (getArgs)

data Order = Order
  { orderId :: Int
  , customer :: T.Text
  , amount :: Int
  }

orders :: Int -> [Order]
orders n = [Order i (names i) (i * 37 `mod` 9973) | i <- [1 .. n]]
  where
    names i = case i `mod` 4 of
      0 -> "Ada Lovelace"
      1 -> "Smith, John"
      2 -> "Grace Hopper"
      _ -> "O'Neil \"Ned\""

toRow :: Order -> Row
toRow o =
  [ T.pack (show (orderId o))
  , customer o
  , T.pack (show (amount o))
  ]

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 22000
      file = encode ["id", "customer", "amount"] (map toRow (orders n))
  putStrLn ("characters: " ++ show (T.length file))
  putStrLn ("lines:      " ++ show (length (T.lines file)))
  putStrLn ("last:       " ++ T.unpack (last (T.lines file)))
