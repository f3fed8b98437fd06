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
tokenize source = go 0
  where
    end = T.length source

    go i
      | i >= end   = []
      | isSpace c  = go (i + 1)
      | c == '#'   = go (scan (/= '\n') source end i)
      | isAlpha c  = let j = scan isAlphaNum source end i
                     in word (slice i j source) : go j
      | isDigit c  = let j = scan isDigit source end i
                     in Literal (decimal (slice i j source)) : go j
      | c == '"'   = let j = scan (/= '"') source end (i + 1)
                     in Quoted (slice (i + 1) j source) : go (j + 1)
      | otherwise  = Operator c : go (i + 1)
      where
        c = T.index source i

scan :: (Char -> Bool) -> Text -> Int -> Int -> Int
scan ok source end = go
  where
    go i
      | i < end && ok (T.index source i) = go (i + 1)
      | otherwise                        = i

slice :: Int -> Int -> Text -> Text
slice i j = T.take (j - i) . T.drop i

word :: Text -> Token
word w
  | w `elem` keywords = Keyword w
  | otherwise         = Name w

decimal :: Text -> Int
decimal = T.foldl' (\n c -> n * 10 + digitToInt c) 0
