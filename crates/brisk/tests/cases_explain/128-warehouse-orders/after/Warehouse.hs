module Warehouse (Order(..), Stock, initialStock, fulfil) where

import Control.Monad.ST
import Data.Array.ST
import Data.Array.Unboxed

data Order = Order
  { sku    :: !Int
  , amount :: !Int
  }

type Stock = UArray Int Int

initialStock :: Int -> Stock
initialStock k = listArray (0, k - 1) [ 20 + (i * 13) `mod` 50 | i <- [0 .. k - 1] ]

fulfil :: Stock -> [Order] -> (Int, Stock)
fulfil stock0 os0 = runST (thaw stock0 >>= \stock -> serve stock 0 os0)
  where
    serve :: STUArray s Int Int -> Int -> [Order] -> ST s (Int, Stock)
    serve stock rejected [] = do
      final <- freeze stock
      return (rejected, final)
    serve stock rejected (Order s n : os) = do
      have <- readArray stock s
      if have >= n
        then writeArray stock s (have - n) >> serve stock rejected os
        else do
          writeArray stock s (have + 25)
          let r = rejected + 1
          r `seq` serve stock r os
