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

-- | What the lexer knows: where it is and what is left to read.
data Input = Input
  { position :: !Position
  , rest :: String
  }

start :: String -> Input
start = Input (Position 1 1)

advance :: Int -> Input -> Input
advance 0 i = i
advance n (Input p s) = case s of
  [] -> Input p []
  (c : cs) -> advance (n - 1) (Input (step c p) cs)

step :: Char -> Position -> Position
step '\n' (Position l _) = Position (l + 1) 1
step _ (Position l c) = Position l (c + 1)

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
