module Formula (Expr(..), parseFormula, eval) where

import Text.Parsec
import Text.Parsec.String (Parser)

data Expr
  = Num Int
  | Cell Char Int
  | Add Expr Expr
  | Mul Expr Expr

parseFormula :: String -> Either ParseError Expr
parseFormula = parse (char '=' *> expr <* eof) "cell"

expr :: Parser Expr
expr = try (Add <$> term <* char '+' <*> expr) <|> term

term :: Parser Expr
term = try (Mul <$> factor <* char '*' <*> term) <|> factor

factor :: Parser Expr
factor = parens <|> cell <|> number
  where
    parens = char '(' *> expr <* char ')'
    cell   = Cell <$> upper <*> int
    number = Num <$> int

int :: Parser Int
int = read <$> many1 digit

eval :: (Char -> Int -> Int) -> Expr -> Int
eval look = go
  where
    go (Num n)    = n
    go (Cell c r) = look c r
    go (Add a b)  = (go a + go b) `mod` 1000003
    go (Mul a b)  = (go a * go b) `mod` 1000003
