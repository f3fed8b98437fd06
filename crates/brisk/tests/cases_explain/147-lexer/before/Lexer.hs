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
tokens src = go 0
  where
    go pos
      | pos >= T.length src = []
      | isSpace c = go (pos + 1)
      | isAlpha c = let end = scan isAlphaNum pos in Ident (slice pos end) : go end
      | isDigit c = let end = scan isDigit pos in Number (number (slice pos end)) : go end
      | otherwise = Symbol c : go (pos + 1)
      where c = T.index src pos
    scan p pos
      | pos < T.length src && p (T.index src pos) = scan p (pos + 1)
      | otherwise = pos
    slice from to = T.take (to - from) (T.drop from src)

number :: Text -> Int
number = T.foldl' (\n d -> n * 10 + fromEnum d - 48) 0
