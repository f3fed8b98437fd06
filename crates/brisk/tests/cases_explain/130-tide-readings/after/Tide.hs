module Tide (levels, Summary(..), summarise) where

import Data.List (foldl')

data Summary = Summary
  { average :: Double
  , highest :: Double
  , lowest  :: Double
  } deriving Show

levels :: Int -> [Double]
levels n = go n 4242
  where
    go :: Int -> Int -> [Double]
    go 0 _ = []
    go k s =
      let s' = (s * 6364136 + 1442695) `mod` 2147483647
          h  = fromIntegral (s' `mod` 6000) / 1000
      in h `seq` h : go (k - 1) s'

data Acc = Acc !Int !Double !Double !Double

summarise :: [Double] -> Summary
summarise xs = finish (foldl' add (Acc 0 0 0 100) xs)
  where
    add (Acc c t hi lo) x = Acc (c + 1) (t + x) (max hi x) (min lo x)
    finish (Acc c t hi lo) = Summary
      { average = t / fromIntegral c
      , highest = hi
      , lowest  = lo
      }
