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
tokenize src = go 0
  where
    end = T.length src

    go i
      | i >= end     = []
      | c == '\n'    = Newline : go (i + 1)
      | isSpace c    = go (i + 1)
      | c == '*'     = Star : go (i + 1)
      | c == '#'     = let j = scan (== '#') i in Heading (j - i) : go j
      | isAlphaNum c = let j = scan isAlphaNum i in Word (slice i j) : go j
      | otherwise    = Punct c : go (i + 1)
      where c = T.index src i

    scan p i
      | i < end && p (T.index src i) = scan p (i + 1)
      | otherwise = i

    slice i j = T.take (j - i) (T.drop i src)
