module Main (main) where

import Data.List (foldl')
import qualified Data.Map.Strict as M
import System.Environment (getArgs)

import Formula

-- The sheet as a user would have typed it: one formula in each row of column A.
sheet :: Int -> [(String, String)]
sheet n = [ ('A' : show i, formulaFor i) | i <- [1 .. n] ]

formulaFor :: Int -> String
formulaFor i = case i `mod` 5 of
  0 -> show (i * 17 `mod` 991)
  1 -> "B1 + " ++ show i ++ " * 3"
  2 -> nest (2 + i `mod` 3) ("A" ++ show (i - 1))
  3 -> "max(" ++ nest 2 ("A" ++ show (i - 2)) ++ ", " ++ show i ++ ")"
  _ -> "A" ++ show (i - 1) ++ " + A" ++ show (i - 2) ++ " * (A" ++ show (i - 3) ++ " + 1)"

nest :: Int -> String -> String
nest 0 inner = inner
nest k inner
  | even k    = "(" ++ nest (k - 1) inner ++ " + " ++ show k ++ ")"
  | otherwise = "(2 * " ++ nest (k - 1) inner ++ ")"

fill :: M.Map String Int -> (String, String) -> Either String (M.Map String Int)
fill env (name, text) = case parseFormula text of
  Left err -> Left (name ++ ": " ++ show err)
  Right f  -> Right (M.insert name (evaluate env f + references f) env)

main :: IO ()
main = do
  [arg] <- getArgs
  let n     = read arg
      start = M.fromList [("B1", 42), ("B2", 7)]
      step (Left e) _    = Left e
      step (Right env) r = fill env r
  case foldl' step (Right start) (sheet n) of
    Left e    -> putStrLn e
    Right env -> do
      putStrLn ("cells: " ++ show (M.size env))
      putStrLn ("sum:   " ++ show (sum (M.elems env)))
      mapM_ (\k -> putStrLn (k ++ " = " ++ show (M.lookup k env)))
            ["A1", "A2", "A3", "A" ++ show n]
