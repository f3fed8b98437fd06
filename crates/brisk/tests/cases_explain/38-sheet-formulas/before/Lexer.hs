module Lexer (Parser, lexeme, symbol, number, parens, parseAll) where

import Data.Char (digitToInt)
import Data.List (foldl')
import Text.Parsec
import Text.Parsec.String (Parser)

lexeme :: Parser a -> Parser a
lexeme p = p <* spaces

symbol :: Char -> Parser Char
symbol = lexeme . char

number :: Parser Int
number = foldl' (\n d -> 10 * n + digitToInt d) 0 <$> many1 digit

parens :: Parser a -> Parser a
parens = between (symbol '(') (symbol ')')

parseAll :: Parser a -> String -> Either ParseError a
parseAll p = parse (spaces *> p <* eof) "sheet"
