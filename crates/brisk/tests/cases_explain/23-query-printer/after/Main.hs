module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

-- | Prints a generated filter of a database query.

data Value
  = Number Int
  | Name String

data Condition
  = Equal String Value
  | Less String Value
  | And Condition Condition
  | Or Condition Condition
  | Not Condition

value :: Value -> ShowS
value (Number n) = shows n
value (Name s) = showString "'" . showString s . showString "'"

condition :: Condition -> ShowS
condition c = case c of
  Equal column v -> showString column . showString " = " . value v
  Less column v -> showString column . showString " < " . value v
  And a b -> condition a . showString " AND " . condition b
  Or a b -> showString "(" . condition a . showString " OR " . condition b . showString ")"
  Not a -> showString "NOT (" . condition a . showString ")"

query :: String -> Condition -> String
query table c = "SELECT * FROM " ++ table ++ " WHERE " ++ condition c ""

-- | Rules are added one at a time, as a form with check boxes does.
addRule :: Condition -> Int -> Condition
addRule c i
  | i `mod` 5 == 0 = Or c (Equal "owner" (Name ("user" ++ show i)))
  | i `mod` 11 == 0 = And c (Not (Equal "state" (Number (i `mod` 7))))
  | otherwise = And c (Less "price" (Number i))

rules :: Int -> Condition
rules n = foldl' addRule (Less "id" (Number 1000000)) [1 .. n]

checksum :: String -> Int
checksum = foldl' (\h ch -> (h * 31 + fromEnum ch) `mod` 1000000007) 7

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 2600
      text = query "products" (rules n)
  putStrLn ("length   " ++ show (length text))
  putStrLn ("checksum " ++ show (checksum text))
  putStrLn ("end      " ++ drop (length text - 30) text)
