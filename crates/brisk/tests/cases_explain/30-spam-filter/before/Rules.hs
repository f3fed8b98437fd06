module Rules
  ( Rules
  , Verdict (..)
  , standard
  , judge
  ) where

import qualified Data.Set as Set
import Mail

data Verdict = Good | Unsure | Spam
  deriving (Eq)

-- | Word lists as they come from the settings file.
data Rules = Rules
  { blockedSenders :: [String]
  , badWords :: [String]
  , limit :: Int
  }

standard :: Rules
standard =
  Rules
    { blockedSenders = ["user" ++ show i | i <- [3, 14 .. 80 :: Int]]
    , badWords = ["word" ++ show i | i <- [1, 5 .. 1200 :: Int]]
    , limit = 4
    }

judge :: Rules -> Mail -> Verdict
judge rules mail
  | sender mail `Set.member` blocked = Spam
  | score > limit rules = Spam
  | score > limit rules `div` 2 = Unsure
  | otherwise = Good
  where
    blocked = Set.fromList (blockedSenders rules)
    bad = Set.fromList (badWords rules)
    score = length (filter (`Set.member` bad) (body mail))
