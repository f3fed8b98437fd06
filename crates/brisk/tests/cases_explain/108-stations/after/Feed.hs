{-# LANGUAGE OverloadedStrings #-}
module Feed (Reading (..), parseFeed) where

import qualified Data.ByteString.Char8 as B
import Data.Maybe (mapMaybe)

data Reading = Reading
  { station :: !B.ByteString
  , minute  :: !Int
  , celsius :: !Int
  , wind    :: !Int
  }

number :: B.ByteString -> Maybe Int
number field = case B.readInt field of
  Just (n, rest) | B.null rest -> Just n
  _                            -> Nothing

-- | One line: station;minute;temperature;wind
parseReading :: B.ByteString -> Maybe Reading
parseReading line = case B.split ';' line of
  [name, m, t, w] -> Reading name <$> number m <*> number t <*> number w
  _               -> Nothing

parseFeed :: B.ByteString -> [Reading]
parseFeed = mapMaybe parseReading . filter (not . B.isPrefixOf "#") . B.lines
