module Knapsack (Item(..), solve) where

import Control.Monad
import Control.Monad.ST
import Data.Array.ST

data Item = Item { weight :: !Int, worth :: !Int } deriving Show

solve :: Int -> [Item] -> Int
solve capacity items = runST $ do
  best <- table capacity
  forM_ items (pack best capacity)
  readArray best capacity

table :: Int -> ST s (STUArray s Int Int)
table capacity = newArray (0, capacity) 0

pack :: STUArray s Int Int -> Int -> Item -> ST s ()
pack best capacity (Item w v) =
  forM_ [capacity, capacity - 1 .. w] $ \c -> do
    without <- readArray best c
    with <- readArray best (c - w)
    writeArray best c (max without (with + v))
