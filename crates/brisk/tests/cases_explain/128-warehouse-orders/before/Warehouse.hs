module Warehouse (Order(..), Stock, initialStock, fulfil) where

import Data.Array
import Data.List (foldl')

data Order = Order
  { sku    :: !Int
  , amount :: !Int
  }

type Stock = Array Int Int

initialStock :: Int -> Stock
initialStock k = listArray (0, k - 1) [ 20 + (i * 13) `mod` 50 | i <- [0 .. k - 1] ]

fulfil :: Stock -> [Order] -> (Int, Stock)
fulfil stock0 = foldl' serve (0, stock0)
  where
    serve (rejected, stock) (Order s n)
      | have >= n = let stock' = stock // [(s, have - n)] in stock' `seq` (rejected, stock')
      | otherwise = let r = rejected + 1; stock' = stock // [(s, have + 25)]
                    in r `seq` stock' `seq` (r, stock')
      where have = stock ! s
