{-# LANGUAGE OverloadedStrings #-}
module Lexer (Token(..), tokenize) where

import Data.Char (isAlphaNum, isSpace)
import Data.Text (Text)
import qualified Data.Text as T

data Token
  = Word !Text
  | Star
  | Heading !Int
  | Newline
  | Punct !Char
  deriving (Eq, Show)

tokenize :: Text -> [Token]
tokenize src = case T.uncons src of
  Nothing -> []
  Just (c, rest)
    | c == '\n'    -> Newline : tokenize rest
    | isSpace c    -> tokenize rest
    | c == '*'     -> Star : tokenize rest
    | c == '#'     -> let (h, r) = T.span (== '#') src in Heading (T.length h) : tokenize r
    | isAlphaNum c -> let (w, r) = T.span isAlphaNum src in Word w : tokenize r
    | otherwise    -> Punct c : tokenize rest
