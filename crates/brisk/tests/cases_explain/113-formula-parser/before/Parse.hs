module Parse (formula) where

import Text.Parsec
import Text.Parsec.String (Parser)

import Formula

formula :: Parser Formula
formula = spaces *> expression <* eof

expression :: Parser Formula
expression =
      try (Plus <$> term <* symbol '+' <*> expression)
  <|> term

term :: Parser Formula
term =
      try (Times <$> factor <* symbol '*' <*> term)
  <|> factor

factor :: Parser Formula
factor = number <|> cell <|> between (symbol '(') (symbol ')') expression

number, cell :: Parser Formula
number = Number . read <$> lexeme (many1 digit)
cell = Cell <$> lexeme ((:) <$> upper <*> many1 digit)

symbol :: Char -> Parser Char
symbol = lexeme . char

lexeme :: Parser a -> Parser a
lexeme p = p <* spaces
