module Formula (Formula(..), parseFormula, evaluate) where

import Text.Parsec
import Text.Parsec.String (Parser)

data Formula
  = Num Int
  | Formula :+: Formula
  | Formula :*: Formula
  deriving Show

parseFormula :: String -> Either ParseError Formula
parseFormula = parse (formula <* eof) "formula"

formula :: Parser Formula
formula = try sumOf <|> term
  where
    sumOf = do
      a <- term
      _ <- lexeme (char '+')
      b <- formula
      return (a :+: b)

term :: Parser Formula
term = try productOf <|> factor
  where
    productOf = do
      a <- factor
      _ <- lexeme (char '*')
      b <- term
      return (a :*: b)

factor :: Parser Formula
factor = parens <|> literal
  where
    parens = lexeme (char '(') *> formula <* lexeme (char ')')
    literal = Num . read <$> lexeme (many1 digit)

lexeme :: Parser a -> Parser a
lexeme p = p <* spaces

evaluate :: Formula -> Int
evaluate (Num n) = n
evaluate (a :+: b) = (evaluate a + evaluate b) `mod` 9973
evaluate (a :*: b) = (evaluate a * evaluate b) `mod` 9973
