module Lexer (tokens) where

import Data.Char (digitToInt, isAlpha, isAlphaNum, isDigit, isSpace)
import qualified Data.Text as T
import Data.Text (Text)
import Token

tokens :: Text -> [Token]
tokens src = from 0
  where
    end = T.length src
    at = T.index src

    from i
      | i >= end = []
      | isSpace c = from (i + 1)
      | isAlpha c = let j = skip isAlphaNum i in Name (slice i j) : from j
      | isDigit c = number 0 i
      | c == '"' = let j = skip (/= '"') (i + 1) in Quoted (slice (i + 1) j) : from (j + 1)
      | otherwise = Symbol c : from (i + 1)
      where
        c = at i

    skip ok i
      | i < end && ok (at i) = skip ok (i + 1)
      | otherwise = i

    number acc i
      | i < end && isDigit (at i) = number (acc * 10 + digitToInt (at i)) (i + 1)
      | otherwise = acc `seq` Number acc : from i

    slice i j = T.take (j - i) (T.drop i src)
