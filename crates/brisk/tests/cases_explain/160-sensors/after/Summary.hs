{-# LANGUAGE BangPatterns #-}
module Summary
  ( Summary (..)
  , summarize
  , describe
  ) where

data Summary = Summary
  { samples :: !Int
  , mean    :: !Double
  , coldest :: !Double
  , hottest :: !Double
  }

summarize :: [Double] -> Summary
summarize [] = Summary 0 0 0 0
summarize values = go 0 0 (1 / 0) (-1 / 0) values
  where
    go :: Int -> Double -> Double -> Double -> [Double] -> Summary
    go !n !total !low !high [] = Summary n (total / fromIntegral n) low high
    go !n !total !low !high (x : xs) =
      go (n + 1) (total + x) (min low x) (max high x) xs

describe :: String -> Summary -> [String]
describe title s =
  [ title
  , "  samples " ++ show (samples s)
  , "  mean    " ++ rounded (mean s)
  , "  coldest " ++ rounded (coldest s)
  , "  hottest " ++ rounded (hottest s)
  ]

rounded :: Double -> String
rounded x = show (fromIntegral (round (x * 1000) :: Int) / 1000 :: Double)
