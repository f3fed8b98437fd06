module Main (main) where

import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

import Tariff

dialPlan :: [Zone]
dialPlan =
  [ Zone "local"    2  [("030", "039")]
  , Zone "national" 5  [("02", "02"), ("040", "059")]
  , Zone "mobile"   19 [("0151", "0179")]
  , Zone "europe"   24 [("0031", "0049")]
  , Zone "overseas" 55 [("001", "001"), ("0061", "0066"), ("0081", "0086")]
  , Zone "premium"  99 [("0900", "0905")]
  , Zone "free"     0  [("0800", "0800")]
  ]

next :: Int -> Int
next s = (s * 48271) `mod` 2147483647

calls :: Int -> [Call]
calls n = map call (take n (iterate next 2013))
  where
    call s = Call (start s ++ show (100000 + s `mod` 800000)) (5 + (s `div` 7) `mod` 900)
    start s = starts !! (s `div` 1000 `mod` length starts)
    starts = ["030", "02", "045", "0160", "0171", "0041", "001", "0082", "0901", "0800", "07", "0033"]

addCall :: Map.Map String (Int, Int) -> Rated -> Map.Map String (Int, Int)
addCall totals r = Map.insertWith plus (ratedZone r) (1, ratedPrice r) totals
  where
    plus (a, b) (c, d) = let x = a + c; y = b + d in x `seq` y `seq` (x, y)

cents :: Int -> String
cents c = show (c `div` 100) ++ "." ++ drop 1 (show (100 + c `mod` 100))

main :: IO ()
main = do
  [arg] <- getArgs
  let rated = map (rateCall dialPlan) (calls (read arg))
      totals = foldl addCall Map.empty rated
  mapM_ (\(z, (k, c)) -> putStrLn (z ++ ": " ++ show k ++ " calls, " ++ cents c)) (Map.toList totals)
  putStrLn ("invoice " ++ cents (sum (map snd (Map.elems totals))))
