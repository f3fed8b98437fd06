module RuleParser (parseRules) where

import Text.Parsec
import Text.Parsec.String (Parser)

import Rule

parseRules :: String -> Either ParseError [Rule]
parseRules = parse (many (disjunction <* symbol ";") <* eof) "alerts"

disjunction :: Parser Rule
disjunction =
  try (Or <$> conjunction <* symbol "or" <*> disjunction)
    <|> conjunction

conjunction :: Parser Rule
conjunction =
  try (And <$> factor <* symbol "and" <*> conjunction)
    <|> factor

factor :: Parser Rule
factor =
  (Not <$> (symbol "!" *> factor))
    <|> between (symbol "(") (symbol ")") disjunction
    <|> test

test :: Parser Rule
test = Test <$> name <*> operator <*> number

name :: Parser String
name = lexeme (many1 (letter <|> char '.'))

operator :: Parser Op
operator =
  (Lt <$ symbol "<") <|> (Gt <$ symbol ">") <|> (Eq <$ symbol "=")

number :: Parser Int
number = lexeme (read <$> many1 digit)

symbol :: String -> Parser String
symbol s = lexeme (string s)

lexeme :: Parser a -> Parser a
lexeme p = p <* spaces
