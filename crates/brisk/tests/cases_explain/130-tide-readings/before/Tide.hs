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

mean :: [Double] -> Double
mean xs = foldl' (+) 0 xs / fromIntegral (length xs)

summarise :: [Double] -> Summary
summarise xs = Summary
  { average = mean xs
  , highest = foldl' max 0 xs
  , lowest  = foldl' min 100 xs
  }
