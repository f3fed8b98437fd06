module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

-- | Readings of one weather station, summarised in a single pass.

data Reading = Reading
  { station :: Int
  , celsius :: Double
  }

type Summary = (Int, Double, Double, Double)

readings :: Int -> [Reading]
readings n = go n 20011
  where
    go 0 _ = []
    go k seed =
      let seed' = (seed * 1103515245 + 12345) `mod` 2147483648
          value = fromIntegral (seed' `div` 1024 `mod` 600) / 10 - 20
       in Reading (seed' `mod` 7) value : go (k - 1 :: Int) seed'

emptySummary :: Summary
emptySummary = (0, 0, 0, 0)

addReading :: Summary -> Reading -> Summary
addReading (count, total, squares, warm) reading =
  ( count + 1
  , total + celsius reading
  , squares + celsius reading * celsius reading
  , if celsius reading > 25 then warm + 1 else warm
  )

summarise :: [Reading] -> Summary
summarise = foldl' addReading emptySummary

mean :: Summary -> Double
mean (count, total, _, _) = total / fromIntegral count

variance :: Summary -> Double
variance s@(count, _, squares, _) =
  squares / fromIntegral count - mean s * mean s

report :: Summary -> String
report s@(count, _, _, warm) =
  unlines
    [ "readings  " ++ show count
    , "mean      " ++ show (rounded (mean s))
    , "variance  " ++ show (rounded (variance s))
    , "warm days " ++ show (truncate warm :: Int)
    ]
  where
    rounded x = fromIntegral (round (x * 1000) :: Int) / 1000 :: Double

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 800000
  putStr (report (summarise (filter ((/= 3) . station) (readings n))))
