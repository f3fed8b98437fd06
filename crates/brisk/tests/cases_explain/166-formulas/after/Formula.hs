module Formula (Expr (..), parseFormula) where

import Text.Parsec
import Text.Parsec.String (Parser)

data Expr
  = Num Int
  | Cell Char Int
  | Call String [Expr]
  | Bin Char Expr Expr
  deriving (Show)

lexeme :: Parser a -> Parser a
lexeme p = p <* spaces

symbol :: Char -> Parser Char
symbol = lexeme . char

comparison :: Parser Expr
comparison = do
  l <- sumExpr
  option l (do o <- lexeme (oneOf "<>=")
               r <- sumExpr
               return (Bin o l r))

sumExpr :: Parser Expr
sumExpr = do
  l <- product_
  option l (do o <- lexeme (oneOf "+-")
               r <- sumExpr
               return (Bin o l r))

product_ :: Parser Expr
product_ = do
  l <- atom
  option l (do o <- lexeme (oneOf "*/")
               r <- product_
               return (Bin o l r))

atom :: Parser Expr
atom = number <|> nameOrCell <|> between (symbol '(') (symbol ')') comparison

number :: Parser Expr
number = Num . read <$> lexeme (many1 digit)

nameOrCell :: Parser Expr
nameOrCell = do
  c <- upper
  rest <- many upper
  case rest of
    [] -> Cell c . read <$> lexeme (many1 digit)
    _  -> Call (c : rest) <$> between (symbol '(') (symbol ')') (comparison `sepBy1` symbol ',')

parseFormula :: Int -> String -> Either ParseError Expr
parseFormula row = parse (symbol '=' *> comparison <* eof) ("row " ++ show row)
