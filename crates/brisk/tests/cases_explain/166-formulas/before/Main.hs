module Main (main) where

import qualified Data.Set as Set
import System.Environment (getArgs)

import Formula
import Sheet

cellValue :: Char -> Int -> Int
cellValue c r = (fromEnum c * 31 + r * 7) `mod` 101

main :: IO ()
main = do
  [arg] <- getArgs
  let rows = zip [1 ..] (formulas (read arg) ++ ["=A1 + (B2"])
      parsed = [(row, parseFormula row text) | (row, text) <- rows]
      good = [(row, e) | (row, Right e) <- parsed]
      bad = [err | (_, Left err) <- parsed]
      values = [(row, eval cellValue e) | (row, e) <- good]
      used = Set.unions (map (references . snd) good)
  mapM_ (\(row, v) -> putStrLn ("row " ++ show row ++ ": " ++ show v)) (take 10 values)
  putStrLn ("formulas   " ++ show (length good))
  putStrLn ("errors     " ++ show (length bad))
  putStrLn ("cells used " ++ show (Set.size used))
  putStrLn ("total      " ++ show (sum (map snd values)))
