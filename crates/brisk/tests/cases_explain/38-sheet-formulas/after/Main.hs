module Main (main) where

import System.Environment (getArgs)

import Formula
import Lexer

-- | The formula of one row of the sheet.
rowFormula :: Int -> String
rowFormula r = "= " ++ nest (3 + r `mod` 3) r ++ " + " ++ show r
  where
    nest :: Int -> Int -> String
    nest 0 k = operand k
    nest d k
      | even (d + k) = "(" ++ nest (d - 1) (k + 1) ++ ")" ++ op k ++ operand (k + d)
      | otherwise    = operand k ++ op k ++ "(" ++ nest (d - 1) (k + 2) ++ ")"
    operand k
      | k `mod` 3 == 0 = toEnum (65 + k `mod` 26) : show (1 + k `mod` 50)
      | otherwise      = show (k * 13 `mod` 97)
    op k = [" * ", " - ", " + "] !! (k `mod` 3)

sheet :: Char -> Int -> Int
sheet c r = (fromEnum c * 101 + r * r) `mod` 997

main :: IO ()
main = do
  args <- getArgs
  let rows = case args of
        a : _ -> read a
        []    -> 1600
      results = map (fmap (value sheet) . parseAll formula . rowFormula) [1 .. rows]
      good    = [v | Right v <- results]
  putStrLn ("rows:   " ++ show rows)
  putStrLn ("broken: " ++ show (rows - length good))
  putStrLn ("sum:    " ++ show (sum good))
  putStrLn ("max:    " ++ show (maximum good))
  putStrLn ("bad:    " ++ either (const "no formula") (show . value sheet) (parseAll formula "= (1 + 2"))
