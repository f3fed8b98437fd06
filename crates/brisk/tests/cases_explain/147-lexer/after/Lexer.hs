module Lexer (Token(..), tokens) where

import Data.Char (isAlpha, isAlphaNum, isDigit, isSpace)
import Data.Text (Text)
import qualified Data.Text as T

data Token
  = Ident Text
  | Number Int
  | Symbol Char
  deriving (Eq, Show)

tokens :: Text -> [Token]
tokens src = case T.uncons src of
  Nothing -> []
  Just (c, more)
    | isSpace c -> tokens more
    | isAlpha c -> let (w, r) = T.span isAlphaNum src in Ident w : tokens r
    | isDigit c -> let (w, r) = T.span isDigit src in Number (number w) : tokens r
    | otherwise -> Symbol c : tokens more

number :: Text -> Int
number = T.foldl' (\n d -> n * 10 + fromEnum d - 48) 0
