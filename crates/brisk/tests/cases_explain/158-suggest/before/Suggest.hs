module Suggest
  ( distance
  , suggestions
  ) where

import Data.Char (toLower)
import Data.List
import Data.Ord (comparing)

-- The number of letters to insert, delete or replace.
distance :: String -> String -> Int
distance a b = last (foldl' row [0 .. length b] a)
  where
    row prev@(p : ps) c = scanl' step (p + 1) (zip3 b prev ps)
      where
        step west (d, northWest, north) =
          minimum [ west + 1
                  , north + 1
                  , if c == d then northWest else northWest + 1 ]
    row [] _ = []

-- Every known word, the most likely one first.
suggestions :: [String] -> String -> [String]
suggestions known typed = sortBy (comparing (distance wanted)) known
  where
    wanted = map toLower typed
