module Tally
  ( Tally
  , fromWords
  , distinct
  , mostFrequent
  ) where

import Data.List (foldl', sortBy)
import qualified Data.Map.Strict as Map
import Data.Ord (Down (..), comparing)

newtype Tally = Tally (Map.Map String Int)

empty :: Tally
empty = Tally Map.empty

count :: Tally -> String -> Tally
count (Tally m) w = Tally (Map.insertWith (+) w 1 m)

fromWords :: [String] -> Tally
fromWords = foldl' count empty

distinct :: Tally -> Int
distinct (Tally m) = Map.size m

mostFrequent :: Int -> Tally -> [(String, Int)]
mostFrequent k (Tally m) = take k (sortBy (comparing order) (Map.toList m))
  where
    order (w, c) = (Down c, w)
