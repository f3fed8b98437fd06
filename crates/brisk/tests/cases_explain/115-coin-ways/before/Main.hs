module Main (main) where

import Data.Array
import Data.List (foldl')
import System.Environment (getArgs)

import Ways

british :: Coins
british = [1, 2, 5, 10, 20, 50, 100, 200]

checksum :: [Int] -> Int
checksum = foldl' (\h w -> (h * 31 + w) `mod` modulus) 7

main :: IO ()
main = do
  [arg] <- getArgs
  let top = read arg
      table = waysTable british top
  mapM_ (report table) (filter (<= top) [5, 20, 100, 200, 1000, top])
  putStrLn ("checksum: " ++ show (checksum (elems table)))
  where
    report table amount =
      putStrLn (show amount ++ "p: " ++ show (table ! amount) ++ " ways")
