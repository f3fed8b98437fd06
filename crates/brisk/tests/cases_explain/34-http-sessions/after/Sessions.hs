module Sessions (Sessions, Stats(..), noSessions, track, busiest) where

import qualified Data.ByteString.Char8 as B
import qualified Data.Map.Strict as Map
import Data.List (sortBy)
import Data.Ord (comparing, Down(..))

import Request

data Stats = Stats
  { hits  :: !Int
  , bytes :: !Int
  }

type Sessions = Map.Map B.ByteString Stats

noSessions :: Sessions
noSessions = Map.empty

track :: Sessions -> Request -> Sessions
track sessions req = Map.insertWith merge (reqSession req) fresh sessions
  where
    fresh = Stats 1 (B.length (reqBody req))
    merge (Stats a b) (Stats c d) = Stats (a + c) (b + d)

busiest :: Int -> Sessions -> [(B.ByteString, Stats)]
busiest n = take n . sortBy (comparing (Down . bytes . snd)) . Map.toList
