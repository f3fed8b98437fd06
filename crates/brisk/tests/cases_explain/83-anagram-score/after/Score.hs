module Score (Rules (..), Penalty, wordScore, standard) where

import qualified Data.Map as Map

type Penalty = Int

data Rules = Rules
  { groups :: [(Int, String)]     -- ^ points and the letters worth them
  , bonus  :: [((Char, Char), Int)]
  , cost   :: Penalty             -- ^ for a letter that is in no group
  }

standard :: Rules
standard = Rules
  { groups =
      [ (1, "eaionrtlsu"), (2, "dg"), (3, "bcmp"), (4, "fhvwy")
      , (5, "k"), (8, "jx"), (10, "qz") ]
  , bonus = [ ((a, b), (fromEnum a + fromEnum b) `mod` 5) | a <- "aeiou", b <- "bcdfgst" ]
  , cost = 3
  }

-- | What a word is worth: its letters, its pairs, and something for length.
wordScore :: Rules -> String -> Int
wordScore rules = score
  where
    score word = sum (map letter word) + pairs word + lengthBonus word
    points = Map.fromList [ (c, p) | (p, cs) <- groups rules, c <- cs ]
    links  = Map.fromList (bonus rules)
    letter c = Map.findWithDefault (negate (cost rules)) c points
    pairs word = sum [ Map.findWithDefault 0 ab links | ab <- zip word (drop 1 word) ]
    lengthBonus word
      | length word >= 7 = 20
      | length word == 1 = negate (cost rules)
      | otherwise        = 0
