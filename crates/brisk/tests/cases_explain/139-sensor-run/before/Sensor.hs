module Sensor (Device, Reading (..), newDevice, collect) where

import Control.Monad (forM)
import Data.IORef

data Reading = Reading { tick :: !Int, celsius :: !Double, raw :: !Int }

newtype Device = Device (IORef Int)

newDevice :: Int -> IO Device
newDevice seed = Device <$> newIORef seed

takeReading :: Device -> Int -> IO Reading
takeReading (Device ref) t = do
  s <- readIORef ref
  let s' = (s * 16807) `mod` 2147483647
  writeIORef ref $! s'
  return (Reading t (fromIntegral (s' `mod` 6000) / 100 - 15) s')

collect :: Device -> Int -> IO [Reading]
collect device n = forM [1 .. n] (takeReading device)
