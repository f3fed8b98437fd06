module Lexer (tokens) where

import Data.Char (digitToInt, isAlpha, isAlphaNum, isDigit, isSpace)
import qualified Data.Text as T
import Data.Text (Text)
import Token

tokens :: Text -> [Token]
tokens src = case T.uncons src of
  Nothing -> []
  Just (c, rest)
    | isSpace c -> tokens rest
    | isAlpha c -> let (word, more) = T.span isAlphaNum src in Name word : tokens more
    | isDigit c -> let (ds, more) = T.span isDigit src in number ds : tokens more
    | c == '"' -> let (body, more) = T.span (/= '"') rest in Quoted body : tokens (T.drop 1 more)
    | otherwise -> Symbol c : tokens rest
  where
    number = Number . T.foldl' (\acc d -> acc * 10 + digitToInt d) 0
