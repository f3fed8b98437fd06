{-# LANGUAGE RecordWildCards #-}
module Registry
  ( Registry
  , Endpoint (..)
  , Hit (..)
  , newRegistry
  , record
  , snapshot
  ) where

import Data.IORef
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as Map

data Hit = Hit
  { hitRoute  :: !String
  , hitStatus :: !Int
  , hitMicros :: !Int
  }

data Endpoint = Endpoint
  { served  :: !Int
  , failed  :: !Int
  , slowest :: !Int
  , total   :: !Int
  }

instance Semigroup Endpoint where
  a <> b = Endpoint
    { served  = served a + served b
    , failed  = failed a + failed b
    , slowest = max (slowest a) (slowest b)
    , total   = total a + total b
    }

newtype Registry = Registry (IORef (Map String Endpoint))

newRegistry :: IO Registry
newRegistry = Registry <$> newIORef Map.empty

-- | Called by every request handler; safe to call from several threads.
record :: Registry -> Hit -> IO ()
record (Registry ref) Hit{..} =
  atomicModifyIORef' ref $ \table ->
    (Map.insertWith (<>) hitRoute sample table, ())
  where
    sample = Endpoint
      { served  = 1
      , failed  = if hitStatus >= 500 then 1 else 0
      , slowest = hitMicros
      , total   = hitMicros
      }

snapshot :: Registry -> IO [(String, Endpoint)]
snapshot (Registry ref) = Map.toAscList <$> readIORef ref
