module Summary
  ( Summary (..)
  , summarize
  , describe
  ) where

import Data.List (foldl')

data Summary = Summary
  { samples :: !Int
  , mean    :: !Double
  , coldest :: !Double
  , hottest :: !Double
  }

summarize :: [Double] -> Summary
summarize [] = Summary 0 0 0 0
summarize values = Summary
  { samples = n
  , mean    = foldl' (+) 0 values / fromIntegral n
  , coldest = foldl' min (1 / 0) values
  , hottest = foldl' max (-1 / 0) values
  }
  where
    n = length values

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
