module FilterParser (parseFilter) where

import Text.Parsec
import Text.Parsec.String (Parser)
import Filter

lexeme :: Parser a -> Parser a
lexeme p = p <* spaces

symbol :: String -> Parser String
symbol = lexeme . try . string

orExpr :: Parser Filter
orExpr = chainr1 andExpr (Or <$ symbol "or")

andExpr :: Parser Filter
andExpr = chainr1 factor (And <$ symbol "and")

factor :: Parser Filter
factor = between (symbol "(") (symbol ")") orExpr
     <|> Not <$> (symbol "not" *> factor)
     <|> comparison

comparison :: Parser Filter
comparison = Field <$> lexeme (many1 letter) <*> operator <*> lexeme number
  where
    number = read <$> many1 digit

operator :: Parser Op
operator = Lt <$ symbol "<" <|> Gt <$ symbol ">" <|> Eq <$ symbol "="

parseFilter :: String -> Either ParseError Filter
parseFilter = parse (spaces *> orExpr <* eof) "filter"
