module Tariff where

import qualified Data.Map.Strict as Map
import Data.Map.Strict (Map)
import Data.Maybe (listToMaybe)

data Zone = Zone
  { zoneName  :: String
  , zonePrice :: Int
  , prefixes  :: [(String, String)]
  }

data Call = Call
  { number  :: String
  , seconds :: Int
  }

data Rated = Rated
  { ratedZone  :: String
  , ratedPrice :: Int
  }

expand :: (String, String) -> [String]
expand (from, to) = map pad [read from .. read to :: Int]
  where
    width = length from
    pad n = let s = show n in replicate (width - length s) '0' ++ s

longestMatch :: String -> Map String a -> Maybe a
longestMatch digits table =
  listToMaybe [z | k <- [6, 5 .. 1], Just z <- [Map.lookup (take k digits) table]]

rateCall :: [Zone] -> Call -> Rated
rateCall zones call =
  case longestMatch (number call) table of
    Nothing -> Rated "unknown" 0
    Just z  -> Rated (zoneName z) (minutes * zonePrice z)
  where
    minutes = (seconds call + 59) `div` 60
    table = Map.fromList [(p, z) | z <- zones, range <- prefixes z, p <- expand range]
