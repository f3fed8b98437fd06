module Lexer
  ( Token (..)
  , Located (..)
  , Position (..)
  , tokenize
  ) where

import Data.Char (isAlphaNum, isDigit, isSpace)

data Token
  = Word String
  | Number Int
  | Equals
  | Open
  | Close
  | Unexpected Char

data Position = Position
  { line :: !Int
  , column :: !Int
  }
  deriving (Show)

data Located = Located Position Token

-- | What the lexer knows: the whole text and how far it has read.
data Input = Input
  { text :: String
  , offset :: Int
  , rest :: String
  }

start :: String -> Input
start s = Input s 0 s

advance :: Int -> Input -> Input
advance n i = i {offset = offset i + n, rest = drop n (rest i)}

position :: Input -> Position
position i = Position (1 + length (filter (== '\n') before)) (1 + length lastLine)
  where
    before = take (offset i) (text i)
    lastLine = takeWhile (/= '\n') (reverse before)

tokenize :: String -> [Located]
tokenize = go . start
  where
    go i = case rest i of
      [] -> []
      (c : _)
        | isSpace c -> go (advance 1 i)
        | otherwise ->
            let (token, size) = next (rest i)
             in Located (position i) token : go (advance size i)

next :: String -> (Token, Int)
next s = case s of
  ('=' : _) -> (Equals, 1)
  ('[' : _) -> (Open, 1)
  (']' : _) -> (Close, 1)
  (c : _)
    | isDigit c -> let ds = takeWhile isDigit s in (Number (read ds), length ds)
    | isAlphaNum c -> let w = takeWhile isAlphaNum s in (Word w, length w)
    | otherwise -> (Unexpected c, 1)
  [] -> (Unexpected ' ', 0)
