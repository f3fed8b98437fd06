module Main where

import Data.Ord (comparing)
import Data.List (maximumBy, unfoldr)
import System.Environment (getArgs)

import Score

randoms :: Int -> [Int]
randoms = drop 1 . iterate (\x -> (x * 1103515245 + 12345) `mod` 2147483648)

-- words of 2 to 8 letters out of an endless stream of numbers
vocabulary :: Int -> [String]
vocabulary n = take n (unfoldr next (randoms 2024))
  where
    next [] = Nothing
    next (r : rs) =
      let (xs, rest) = splitAt (2 + (r `div` 4096) `mod` 7) rs
      in Just (map toLetter xs, rest)
    toLetter x = toEnum (97 + (x `div` 65536) `mod` 27)

main :: IO ()
main = do
  args <- getArgs
  let n      = if null args then 120000 else read (head args)
      ws     = vocabulary n
      score  = wordScore standard { cost = if n > 1000 then 2 else 3 }
      scored = [ (w, score w) | w <- ws ]
      best   = maximumBy (comparing snd) scored
  putStrLn ("words " ++ show (length scored))
  putStrLn ("total " ++ show (sum (map snd scored)))
  putStrLn ("best  " ++ fst best ++ " with " ++ show (snd best))
