module Meter
  ( Meter
  , Totals (..)
  , newMeter
  , observe
  , totals
  ) where

import Data.IORef
import Request

data Totals = Totals
  { served :: Int
  , failed :: Int
  , traffic :: Int
  , slowest :: Int
  }

newtype Meter = Meter (IORef Totals)

newMeter :: IO Meter
newMeter = Meter <$> newIORef (Totals 0 0 0 0)

observe :: Meter -> Request -> IO ()
observe (Meter ref) rq = modifyIORef' ref $ \t -> t
  { served = served t + 1
  , failed = failed t + fromEnum (status rq >= 500)
  , traffic = traffic t + size rq
  , slowest = max (slowest t) (millis rq)
  }

totals :: Meter -> IO Totals
totals (Meter ref) = readIORef ref
