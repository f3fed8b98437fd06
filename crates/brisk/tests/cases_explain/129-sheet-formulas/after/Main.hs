module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

import Formula

formula :: Int -> String
formula k = '=' : nest (3 + k `mod` 3) k
  where
    nest :: Int -> Int -> String
    nest 0 j = "B" ++ show (j `mod` 90)
    nest d j
      | even (j + d) = "(" ++ nest (d - 1) (j + d) ++ "+" ++ show (j `mod` 17) ++ ")"
      | otherwise    = "(" ++ nest (d - 1) (j + d) ++ "*A" ++ show (d + j `mod` 7) ++ ")"

main :: IO ()
main = do
  [a] <- getArgs
  let cells   = map formula [1 .. read a]
      look c r = fromEnum c * 3 + r
      add acc f = case parseFormula f of
        Left e  -> error (show e)
        Right e -> let acc' = (acc + eval look e) `mod` 1000003 in acc' `seq` acc'
  putStrLn (head cells)
  print (foldl' add 0 cells)
