module Stats where

import Control.Monad.State.Strict
import qualified Data.Map.Strict as Map
import Data.Map.Strict (Map)

data Method = Get | Post | Put | Delete
  deriving (Eq, Ord, Show, Enum, Bounded)

data Hit = Hit
  { hitMethod :: !Method
  , hitStatus :: !Int
  , hitBytes  :: !Int
  , hitMicros :: !Int
  }

data Stats = Stats
  { requests  :: !Int
  , failures  :: !Int
  , bytesSent :: !Int
  , micros    :: !Int
  , slowest   :: !Int
  , perMethod :: !(Map Method Int)
  }

noStats :: Stats
noStats = Stats 0 0 0 0 0 (Map.fromList [(m, 0) | m <- [minBound .. maxBound]])

recordHit :: Hit -> State Stats ()
recordHit h = modify' $ \s -> s
  { requests  = requests s + 1
  , failures  = failures s + fromEnum (hitStatus h >= 500)
  , bytesSent = bytesSent s + hitBytes h
  , micros    = micros s + hitMicros h
  , slowest   = max (slowest s) (hitMicros h)
  , perMethod = Map.insertWith (+) (hitMethod h) 1 (perMethod s)
  }

collect :: [Hit] -> Stats
collect hits = execState (mapM_ recordHit hits) noStats
