module Formula (Formula, formula, eval) where

import Text.Parsec
import Text.Parsec.String (Parser)

data Formula
  = Number Integer
  | Plus Formula Formula
  | Times Formula Formula

formula :: Parser Formula
formula = expr <* eof

expr :: Parser Formula
expr = try (Plus <$> term <* char '+' <*> expr)
   <|> term

term :: Parser Formula
term = try (Times <$> factor <* char '*' <*> term)
   <|> factor

factor :: Parser Formula
factor = Number . read <$> many1 digit
     <|> between (char '(') (char ')') expr

eval :: Formula -> Integer
eval (Number n) = n
eval (Plus a b) = eval a + eval b
eval (Times a b) = eval a * eval b
