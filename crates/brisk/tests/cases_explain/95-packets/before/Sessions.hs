module Sessions (Sessions, Stats (..), noSessions, record, busiest) where

import qualified Data.ByteString.Char8 as B
import Data.List (sortOn)
import qualified Data.Map.Strict as Map
import Data.Ord (Down (..))

import Packet

data Stats = Stats
  { statPackets :: !Int
  , statSum     :: !Int
  }

type Sessions = Map.Map B.ByteString Stats

noSessions :: Sessions
noSessions = Map.empty

record :: Sessions -> Packet -> Sessions
record sessions p = Map.insertWith merge (packetSession p) (Stats 1 (packetSum p)) sessions
  where
    merge (Stats a b) (Stats c d) = Stats (a + c) ((b + d) `mod` 99991)

busiest :: Int -> Sessions -> [(B.ByteString, Stats)]
busiest k = take k . sortOn (\(_, s) -> Down (statPackets s, statSum s)) . Map.toList
