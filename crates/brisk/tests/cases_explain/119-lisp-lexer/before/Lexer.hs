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
tokenize src = go 0
  where
    end = T.length src
    go pos
      | pos >= end = []
      | isSpace c = go (pos + 1)
      | c == '(' = Open : go (pos + 1)
      | c == ')' = Close : go (pos + 1)
      | c == ';' = go (scan (/= '\n') pos)
      | isDigit c = let stop = scan isDigit pos
                    in Literal (number (slice pos stop)) : go stop
      | otherwise = let stop = scan symbolic pos
                    in Atom (slice pos stop) : go stop
      where c = T.index src pos

    scan ok pos
      | pos < end && ok (T.index src pos) = scan ok (pos + 1)
      | otherwise = pos

    slice from to = T.take (to - from) (T.drop from src)

symbolic :: Char -> Bool
symbolic c = not (isSpace c) && c `notElem` "();"

number :: Text -> Int
number = T.foldl' (\n d -> n * 10 + fromEnum d - 48) 0
