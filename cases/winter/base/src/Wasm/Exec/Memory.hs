-- | Linear memory: an immutable array in a mutable variable.
module Wasm.Exec.Memory where

import Data.Array (Array, bounds, elems, listArray, (!), (//))
import Data.Bits (shiftL, shiftR, (.|.))
import qualified Data.ByteString as B
import Data.Word (Word32, Word64, Word8)

import Wasm.Exec.Monad
import Wasm.Syntax (Limits (..))

data MemoryInst m = MemoryInst
  { memContent :: Ref m (Array Int Word8)
  , memMax :: Maybe Word32
  }

pageSize :: Int
pageSize = 65536

-- | How many pages a memory may have here. The specification allows 65536, and
-- that a request for more than there is fails; one byte takes eight here.
pageLimit :: Word32
pageLimit = 1024

newMemory :: MonadRef m => Limits -> m (Maybe (MemoryInst m))
newMemory (Limits low high)
  | low > pageLimit = pure Nothing
  | otherwise = do
      content <- newRef (listArray (0, size - 1) (replicate size 0))
      pure (Just (MemoryInst content high))
  where
    size = fromIntegral low * pageSize

-- | In bytes.
memoryBytes :: MonadRef m => MemoryInst m -> m Int
memoryBytes mem = do
  content <- readRef (memContent mem)
  pure (snd (bounds content) + 1)

memoryPages :: MonadRef m => MemoryInst m -> m Word32
memoryPages mem = do
  size <- memoryBytes mem
  pure (fromIntegral (size `quot` pageSize))

-- | So many more pages: how many there were before, or nothing if it cannot be.
growMemory :: MonadRef m => MemoryInst m -> Word32 -> m (Maybe Word32)
growMemory mem more = do
  old <- memoryPages mem
  let new = fromIntegral old + fromIntegral more :: Word64
      most = min pageLimit (maybe pageLimit id (memMax mem))
  if new > fromIntegral most
    then pure Nothing
    else do
      content <- readRef (memContent mem)
      let size = fromIntegral new * pageSize
      writeRef (memContent mem) $!
        listArray (0, size - 1) (elems content ++ replicate (fromIntegral more * pageSize) 0)
      pure (Just old)

-- | So many bytes from an address, the first one lowest.
loadBytes :: MonadRef m => MemoryInst m -> Int -> Int -> m (Maybe Word64)
loadBytes mem at n = do
  content <- readRef (memContent mem)
  if at + n > snd (bounds content) + 1
    then pure Nothing
    else pure $! Just $! foldr (\i w -> (w `shiftL` 8) .|. fromIntegral (content ! i)) 0 [at .. at + n - 1]

-- | The lowest so many bytes to an address; whether there was room.
storeBytes :: MonadRef m => MemoryInst m -> Int -> Int -> Word64 -> m Bool
storeBytes mem at n w = do
  content <- readRef (memContent mem)
  if at + n > snd (bounds content) + 1
    then pure False
    else do
      writeRef (memContent mem) $!
        content // [(at + i, fromIntegral (w `shiftR` (8 * i))) | i <- [0 .. n - 1]]
      pure True

-- | A data segment, known to fit.
writeSegment :: MonadRef m => MemoryInst m -> Int -> B.ByteString -> m ()
writeSegment mem at bytes = do
  content <- readRef (memContent mem)
  writeRef (memContent mem) $! content // zip [at ..] (B.unpack bytes)
