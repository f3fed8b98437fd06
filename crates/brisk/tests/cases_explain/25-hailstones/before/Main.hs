module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

-- | Hailstone sequences: which start below a limit gives the longest one.

data Record = Record
  { start :: !Integer
  , steps :: !Integer
  , peak :: !Integer
  }

next :: Integer -> Integer
next n
  | even n = n `div` 2
  | otherwise = 3 * n + 1

follow :: Integer -> Record
follow from = go from 0 from
  where
    go :: Integer -> Integer -> Integer -> Record
    go 1 count top = Record from count top
    go n count top =
      let n' = next n
       in go n' (count + 1) (max top n')

longer :: Record -> Record -> Record
longer a b
  | steps b > steps a = b
  | otherwise = a

higher :: Record -> Record -> Record
higher a b
  | peak b > peak a = b
  | otherwise = a

data Best = Best !Record !Record

search :: Integer -> Best
search limit = foldl' pick (Best one one) (map follow [2 .. limit])
  where
    one = follow 1
    pick (Best l h) r = Best (longer l r) (higher h r)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 180000
      Best l h = search n
  putStrLn ("longest from " ++ show (start l) ++ ": " ++ show (steps l) ++ " steps")
  putStrLn ("highest from " ++ show (start h) ++ ": " ++ show (peak h))
