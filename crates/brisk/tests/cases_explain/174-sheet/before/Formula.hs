module Formula (Expr(..), parseFormula, evaluate, cellsOf) where

import qualified Data.Map.Strict as M
import Text.Parsec
import Text.Parsec.String (Parser)

data Expr
  = Num Int
  | Cell String
  | Add Expr Expr
  | Sub Expr Expr
  | Mul Expr Expr
  deriving (Eq, Show)

lexeme :: Parser a -> Parser a
lexeme p = p <* spaces

symbol :: Char -> Parser Char
symbol = lexeme . char

number :: Parser Expr
number = Num . read <$> lexeme (many1 digit)

cell :: Parser Expr
cell = lexeme $ do
  col <- upper
  row <- many1 digit
  return (Cell (col : row))

expr :: Parser Expr
expr =
      try (Add <$> term <* symbol '+' <*> expr)
  <|> try (Sub <$> term <* symbol '-' <*> expr)
  <|> term

term :: Parser Expr
term =
      try (Mul <$> factor <* symbol '*' <*> term)
  <|> factor

factor :: Parser Expr
factor = number <|> cell <|> between (symbol '(') (symbol ')') expr

parseFormula :: String -> String -> Either ParseError Expr
parseFormula name = parse (spaces *> symbol '=' *> expr <* eof) name

evaluate :: M.Map String Int -> Expr -> Int
evaluate env = go
  where
    go (Num n)   = n
    go (Cell c)  = M.findWithDefault 0 c env
    go (Add a b) = (go a + go b) `mod` 1000003
    go (Sub a b) = (go a - go b) `mod` 1000003
    go (Mul a b) = (go a * go b) `mod` 1000003

cellsOf :: Expr -> [String]
cellsOf (Num _)   = []
cellsOf (Cell c)  = [c]
cellsOf (Add a b) = cellsOf a ++ cellsOf b
cellsOf (Sub a b) = cellsOf a ++ cellsOf b
cellsOf (Mul a b) = cellsOf a ++ cellsOf b
