module Lexer (Token(..), tokenize) where

import Data.Char (isDigit, isSpace)
import qualified Data.Text as T
import Data.Text (Text)

data Token
  = Open
  | Close
  | Atom Text
  | Literal Int
  deriving (Eq, Show)

tokenize :: Text -> [Token]
tokenize src = case T.uncons src of
  Nothing -> []
  Just (c, rest)
    | isSpace c -> tokenize rest
    | c == '(' -> Open : tokenize rest
    | c == ')' -> Close : tokenize rest
    | c == ';' -> tokenize (T.dropWhile (/= '\n') rest)
    | isDigit c -> let (ds, more) = T.span isDigit src
                   in Literal (number ds) : tokenize more
    | otherwise -> let (name, more) = T.span symbolic src
                   in Atom name : tokenize more

symbolic :: Char -> Bool
symbolic c = not (isSpace c) && c `notElem` "();"

number :: Text -> Int
number = T.foldl' (\n d -> n * 10 + fromEnum d - 48) 0
