module Dictionary
  ( Vocabulary
  , Verdict (..)
  , vocabulary
  , spell
  , classify
  ) where

import Data.Char (chr, isUpper, ord, toLower)
import qualified Data.Map.Strict as M

type Vocabulary = M.Map String Int

data Verdict
  = Known Int
  | Similar [String]
  | Unknown
  deriving (Eq, Show)

-- | An artificial vocabulary with word frequencies.
vocabulary :: Int -> Vocabulary
vocabulary n = M.fromListWith (+) [ (spell (i * 7919), 1 + i `mod` 97) | i <- [1 .. n] ]

spell :: Int -> String
spell k
  | k < 26    = [letter k]
  | otherwise = letter (k `mod` 26) : spell (k `div` 26)
  where letter i = chr (ord 'a' + i)

-- | Look a word up; if it is missing, collect the words that are one
-- deletion, transposition or replacement away.
classify :: Vocabulary -> String -> Verdict
classify freq raw
  | null word = Unknown
  | otherwise =
      case M.lookup word freq of
        Just n -> Known n
        Nothing -> case filter (`M.member` freq) (edits word) of
          [] -> Unknown
          ws -> Similar (take 5 ws)
  where
    word = normalise raw

normalise :: String -> String
normalise = map down . filter (`notElem` ".,;!?")
  where down c | isUpper c = toLower c
               | otherwise = c

edits :: String -> [String]
edits w = deletes ++ swaps ++ replaces
  where
    splits   = [ splitAt i w | i <- [0 .. length w] ]
    deletes  = [ a ++ bs | (a, _ : bs) <- splits ]
    swaps    = [ a ++ y : x : bs | (a, x : y : bs) <- splits ]
    replaces = [ a ++ c : bs | (a, _ : bs) <- splits, c <- ['a' .. 'z'] ]
