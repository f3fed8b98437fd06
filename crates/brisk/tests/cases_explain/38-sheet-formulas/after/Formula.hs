module Formula (Formula(..), formula, value) where

import Text.Parsec

import Lexer

data Formula
  = Number Int
  | Cell Char Int
  | Add Formula Formula
  | Sub Formula Formula
  | Mul Formula Formula

formula :: Parser Formula
formula = symbol '=' *> expr

expr :: Parser Formula
expr = do
  t <- term
  Add t <$> (symbol '+' *> expr)
    <|> Sub t <$> (symbol '-' *> expr)
    <|> pure t

term :: Parser Formula
term = do
  f <- factor
  Mul f <$> (symbol '*' *> term) <|> pure f

factor :: Parser Formula
factor = lexeme (Number <$> number) <|> cell <|> parens expr

cell :: Parser Formula
cell = lexeme (Cell <$> upper <*> number)

value :: (Char -> Int -> Int) -> Formula -> Int
value look = go
  where
    go (Number n) = n
    go (Cell c r) = look c r
    go (Add a b)  = (go a + go b) `mod` 99991
    go (Sub a b)  = (go a - go b) `mod` 99991
    go (Mul a b)  = (go a * go b) `mod` 99991
