module Parse (parseSum) where

import Data.Char (isAlpha, isDigit, isSpace)
import Data.List (foldl')

import Syntax

-- | A calculator line without precedence: operators associate to the left.
parseSum :: String -> Expr
parseSum src = case tokens src of
  t : ts -> foldl' grow (atom t) (pairs ts)
  []     -> Lit 0
  where
    grow acc (o, x) = Bin (operator o) acc (atom x)

pairs :: [a] -> [(a, a)]
pairs (x : y : rest) = (x, y) : pairs rest
pairs _              = []

tokens :: String -> [String]
tokens [] = []
tokens s@(c : cs)
  | isSpace c = tokens cs
  | isDigit c = let (d, r) = span isDigit s in d : tokens r
  | isAlpha c = let (v, r) = span isAlpha s in v : tokens r
  | otherwise = [c] : tokens cs

operator :: String -> Op
operator "-" = Minus
operator "*" = Times
operator _   = Plus

atom :: String -> Expr
atom t@(c : _) | isAlpha c = Var t
atom t = Lit (foldl' (\n d -> n * 10 + fromEnum d - 48) 0 t)
