module Row (Row(..), parseRow) where

import Data.Char (digitToInt)
import Data.List (foldl')

data Row = Row
  { station  :: String
  , day      :: !Int
  , tenths   :: !Int   -- ^ temperature in tenths of a degree
  , rainfall :: !Int
  }

splitOn :: Char -> String -> [String]
splitOn c s = case break (== c) s of
  (a, _ : rest) -> a : splitOn c rest
  (a, [])       -> [a]

int :: String -> Int
int ('-' : ds) = negate (int ds)
int ds         = foldl' (\n d -> 10 * n + digitToInt d) 0 ds

-- | @station;day;temperature;rainfall@
parseRow :: String -> Either String Row
parseRow l = case splitOn ';' l of
  [name, d, t, r] -> Right (Row name (int d) (int t) (int r))
  _               -> Left ("bad row: " ++ l)
