module Main (main) where

import Catalogue
import Data.List (foldl')
import Shelf
import System.Environment (getArgs)

checksum :: [Book] -> Int
checksum = foldl' (\acc b -> (acc * 31 + number b) `mod` 1000003) 7

main :: IO ()
main = do
  args <- getArgs
  let n = if null args then 11000 else read (head args)
      shelf = arrange (catalogue n)
  putStrLn ("first: " ++ show (number (head shelf)) ++ " " ++ unwords (snd (shelfMark (head shelf))))
  putStrLn ("last:  " ++ show (number (last shelf)) ++ " " ++ unwords (snd (shelfMark (last shelf))))
  putStrLn ("order: " ++ show (checksum shelf))
