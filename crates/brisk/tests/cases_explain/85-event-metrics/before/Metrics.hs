module Metrics (Metrics, Snapshot (..), newMetrics, hit, miss, observe, snapshot) where

import Data.IORef

data Metrics = Metrics
  { mHits   :: IORef Int
  , mMisses :: IORef Int
  , mBytes  :: IORef Int
  }

data Snapshot = Snapshot { hits, misses, bytes :: Int }
  deriving Show

newMetrics :: IO Metrics
newMetrics = Metrics <$> newIORef 0 <*> newIORef 0 <*> newIORef 0

bump :: IORef Int -> Int -> IO ()
bump ref k = atomicModifyIORef ref (\v -> (v + k, ()))

hit, miss :: Metrics -> IO ()
hit  = flip bump 1 . mHits
miss = flip bump 1 . mMisses

observe :: Metrics -> Int -> IO ()
observe m = bump (mBytes m)

snapshot :: Metrics -> IO Snapshot
snapshot m = Snapshot <$> readIORef (mHits m) <*> readIORef (mMisses m) <*> readIORef (mBytes m)
