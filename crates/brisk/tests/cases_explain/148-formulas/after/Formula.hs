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
formula = do
  a <- term
  option a ((a :+:) <$> (lexeme (char '+') *> formula))

term :: Parser Formula
term = do
  a <- factor
  option a ((a :*:) <$> (lexeme (char '*') *> term))

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
