-- | Bytes that are collected before they are written. Not safe for several threads: that is what
-- the locks are for.
module Buffer (Buffer, newBuffer, put, flush) where

import Control.Monad (when)
import Data.Word (Word8)
import Foreign (Ptr, malloc, mallocBytes, peek, poke, pokeByteOff)
import System.IO (Handle, hPutBuf)

data Buffer = Buffer
  { bytes :: !(Ptr Word8)
  , used :: !(Ptr Int)  -- ^ How many of them.
  , sink :: !Handle
  }

-- | As large as that of a 'Handle'.
capacity :: Int
capacity = 8192

-- | Is never freed.
newBuffer :: Handle -> IO Buffer
newBuffer handle = do
  buffer <- Buffer <$> mallocBytes capacity <*> malloc <*> pure handle
  poke (used buffer) 0
  pure buffer

put :: Buffer -> Word8 -> IO ()
put buffer byte = do
  there <- peek (used buffer)
  when (there == capacity) (flush buffer)
  place <- peek (used buffer)
  pokeByteOff (bytes buffer) place byte
  poke (used buffer) (place + 1)
{-# INLINE put #-}

flush :: Buffer -> IO ()
flush buffer = do
  there <- peek (used buffer)
  hPutBuf (sink buffer) (bytes buffer) there
  poke (used buffer) 0
{-# NOINLINE flush #-}
