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

-- | Word lists of the settings file, ready to be looked up in.
data Rules = Rules
  { blockedSenders :: Set.Set String
  , badWords :: Set.Set String
  , limit :: Int
  }

standard :: Rules
standard =
  Rules
    { blockedSenders = Set.fromList ["user" ++ show i | i <- [3, 14 .. 80 :: Int]]
    , badWords = Set.fromList ["word" ++ show i | i <- [1, 5 .. 1200 :: Int]]
    , limit = 4
    }

judge :: Rules -> Mail -> Verdict
judge rules mail
  | sender mail `Set.member` blockedSenders rules = Spam
  | score > limit rules = Spam
  | score > limit rules `div` 2 = Unsure
  | otherwise = Good
  where
    score = length (filter (`Set.member` badWords rules) (body mail))
