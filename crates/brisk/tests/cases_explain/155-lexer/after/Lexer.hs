module Lexer
  ( Token (..)
  , tokenize
  ) where

import Data.Char
import Data.Text (Text)
import qualified Data.Text as T

data Token
  = Keyword !Text
  | Name !Text
  | Literal !Int
  | Quoted !Text
  | Operator !Char
  deriving (Eq, Show)

keywords :: [Text]
keywords = map T.pack ["let", "in", "if", "then", "else", "print"]

tokenize :: Text -> [Token]
tokenize source = case T.uncons source of
  Nothing -> []
  Just (c, rest)
    | isSpace c  -> tokenize rest
    | c == '#'   -> tokenize (T.dropWhile (/= '\n') rest)
    | isAlpha c  -> let (w, more) = T.span isAlphaNum source
                    in word w : tokenize more
    | isDigit c  -> let (d, more) = T.span isDigit source
                    in Literal (decimal d) : tokenize more
    | c == '"'   -> let (q, more) = T.span (/= '"') rest
                    in Quoted q : tokenize (T.drop 1 more)
    | otherwise  -> Operator c : tokenize rest

word :: Text -> Token
word w
  | w `elem` keywords = Keyword w
  | otherwise         = Name w

decimal :: Text -> Int
decimal = T.foldl' (\n c -> n * 10 + digitToInt c) 0
