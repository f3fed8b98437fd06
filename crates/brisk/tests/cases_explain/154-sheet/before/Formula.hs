module Formula
  ( Formula (..)
  , parseFormula
  , evaluate
  , references
  ) where

import qualified Data.Map.Strict as M
import Text.Parsec
import Text.Parsec.String (Parser)

data Formula
  = Number Int
  | Cell String
  | Plus Formula Formula
  | Times Formula Formula
  | Largest Formula Formula
  deriving (Show)

token' :: Parser a -> Parser a
token' p = p <* spaces

symbol :: Char -> Parser Char
symbol = token' . char

number :: Parser Formula
number = token' (Number . read <$> many1 digit)

cell :: Parser Formula
cell = token' $ do
  column <- upper
  row    <- many1 digit
  return (Cell (column : row))

largest :: Parser Formula
largest = do
  _ <- token' (string "max")
  _ <- symbol '('
  a <- expression
  _ <- symbol ','
  b <- expression
  _ <- symbol ')'
  return (Largest a b)

expression :: Parser Formula
expression = try sumOf <|> term
  where
    sumOf = do
      l <- term
      _ <- symbol '+'
      Plus l <$> expression

term :: Parser Formula
term = try productOf <|> factor
  where
    productOf = do
      l <- factor
      _ <- symbol '*'
      Times l <$> term

factor :: Parser Formula
factor = number
     <|> cell
     <|> largest
     <|> between (symbol '(') (symbol ')') expression

parseFormula :: String -> Either ParseError Formula
parseFormula = parse (spaces *> expression <* eof) "formula"

evaluate :: M.Map String Int -> Formula -> Int
evaluate env f = case f of
  Number n    -> n
  Cell c      -> M.findWithDefault 0 c env
  Plus a b    -> (evaluate env a + evaluate env b) `mod` 1000003
  Times a b   -> (evaluate env a * evaluate env b) `mod` 1000003
  Largest a b -> max (evaluate env a) (evaluate env b)

references :: Formula -> Int
references f = case f of
  Number _    -> 0
  Cell _      -> 1
  Plus a b    -> references a + references b
  Times a b   -> references a + references b
  Largest a b -> references a + references b
