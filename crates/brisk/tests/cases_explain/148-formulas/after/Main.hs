module Main (main) where

import Formula
import System.Environment (getArgs)

cell :: Int -> String
cell k = nest 4 k
  where
    nest :: Int -> Int -> String
    nest 0 j = show (j `mod` 97)
    nest d j
      | even (j + d) = "(" ++ nest (d - 1) (j + 3) ++ " + " ++ show (j `mod` 11) ++ ")"
      | otherwise    = show (j `mod` 7 + 1) ++ " * (" ++ nest (d - 1) (j + 5) ++ ")"

main :: IO ()
main = do
  [n] <- getArgs
  let results = map (parseFormula . cell) [1 .. read n]
      values = [evaluate f | Right f <- results]
      errors = [e | Left e <- results]
  putStrLn (cell 1)
  putStrLn ("parsed " ++ show (length values) ++ ", wrong " ++ show (length errors))
  putStrLn ("total " ++ show (sum values))
