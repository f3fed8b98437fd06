module Suggest (Entry(..), Penalty(..), penalty, rank) where

import Data.Char (toLower)
import Data.List (sortBy)
import Data.Ord (comparing)

import Distance

data Entry = Entry
  { entryWord  :: String
  , entryCount :: Int
  } deriving (Eq, Show)

data Penalty = Penalty
  { penEdits  :: Int
  , penPrefix :: Int
  , penRarity :: Int
  } deriving (Eq, Ord, Show)

penalty :: String -> Entry -> Penalty
penalty typed entry = Penalty
  { penEdits  = editDistance typed' word
  , penPrefix = negate (commonPrefix typed' word)
  , penRarity = negate (entryCount entry)
  }
  where
    typed' = map toLower typed
    word   = map toLower (entryWord entry)

rank :: [Entry] -> String -> [Entry]
rank dict typed =
  sortBy (comparing (penalty typed)) dict
