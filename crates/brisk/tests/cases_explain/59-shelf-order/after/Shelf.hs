module Shelf (arrange, shelfMark) where

import Catalogue
import Data.Char (isAlpha, toLower, toUpper)
import Data.List (sortOn)

-- | Books as they stand on the shelf: by author, then by title.
arrange :: [Book] -> [Book]
arrange = sortOn shelfMark

shelfMark :: Book -> (String, [String])
shelfMark book = (surname (author book), dropArticle (map plain (words (title book))))
  where
    surname full = case words full of
      [] -> ""
      names -> concatMap plain (tail names) ++ "," ++ plain (head names)
    plain = map (fold . toLower) . filter isAlpha
    fold c = case c of
      'é' -> 'e'
      'ö' -> 'o'
      _ | toUpper c == c -> '#'
        | otherwise -> c
    dropArticle (w : ws)
      | w `elem` ["the", "a", "an"] = ws
    dropArticle ws = ws
