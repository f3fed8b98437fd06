module Connection
  ( Connection
  , Side (..)
  , Stats (..)
  , openConnection
  , sendFrame
  , connectionStats
  ) where

import qualified Data.ByteString as B
import Data.IORef

import Frame

data Side = ClientSide | ServerSide
  deriving Eq

data Stats = Stats
  { statFrames   :: !Int
  , statBytes    :: !Int
  , statCrc      :: !Int
  , statNextMask :: Mask
  }

data Connection = Connection
  { connSide   :: !Side
  , connGen    :: !(IORef MaskGen)
  , connFrames :: !(IORef Int)
  , connBytes  :: !(IORef Int)
  , connCrc    :: !(IORef Int)
  }

openConnection :: Side -> Int -> IO Connection
openConnection side seed =
  Connection side <$> newIORef (newMaskGen seed) <*> newIORef 0 <*> newIORef 0 <*> newIORef 1

-- | Several threads may send on one connection, hence the atomic update.
sendFrame :: Connection -> Frame -> IO ()
sendFrame conn frame = do
  key <- atomicModifyIORef' (connGen conn) randomMask
  let bytes = case connSide conn of
        ClientSide -> encodeFrame (Just key) frame
        ServerSide -> encodeFrame Nothing frame
  modifyIORef' (connFrames conn) (+ 1)
  modifyIORef' (connBytes conn) (+ B.length bytes)
  modifyIORef' (connCrc conn) (\crc -> B.foldl' addByte crc bytes)
  where
    addByte acc w = (acc * 257 + fromIntegral w) `mod` 65521

connectionStats :: Connection -> IO Stats
connectionStats conn = do
  frames <- readIORef (connFrames conn)
  bytes  <- readIORef (connBytes conn)
  crc    <- readIORef (connCrc conn)
  gen    <- readIORef (connGen conn)
  return (Stats frames bytes crc (snd (randomMask gen)))
