module Main where

import Data.Char (ord)
import Data.List (foldl', isPrefixOf)
import System.Environment (getArgs)

import Outline

hash :: [String] -> Int
hash = foldl' (\h l -> (h * 17 + foldl' (\a c -> a * 3 + ord c) 1 l) `mod` 999983) 5

main :: IO ()
main = do
  as <- getArgs
  let size = maybe 8000 read (lookup 0 (zip [0 :: Int ..] as))
      ls   = export (thread size)
  mapM_ putStrLn (take 3 ls)
  putStrLn $ show (length ls) ++ " lines"
  putStrLn $ show (length (filter ("ann" `isPrefixOf`) ls)) ++ " by ann"
  putStrLn $ "hash " ++ show (hash ls)
