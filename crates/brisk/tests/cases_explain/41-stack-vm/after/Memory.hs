module Memory (MonadMemory (..), Addr) where

type Addr = Int

-- | What a machine needs of its host: word-addressed memory and an output port.
class Monad m => MonadMemory m where
  loadWord  :: Addr -> m Int
  storeWord :: Addr -> Int -> m ()
  output    :: Int -> m ()
