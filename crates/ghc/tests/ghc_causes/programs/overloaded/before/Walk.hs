module Walk (Cells (..), walk) where

import Data.IORef

class Monad m => Cells m where
  type_ :: m ()
  bump :: IORef Int -> Int -> m Int

instance Cells IO where
  type_ = return ()
  bump cell n = do
    old <- readIORef cell
    writeIORef cell $! old + n
    return old

-- Every `>>=` is a method of a dictionary that the caller passes.
walk :: Cells m => IORef Int -> Int -> m Int
walk cell n
  | n == 0 = bump cell 0
  | otherwise = do
      old <- bump cell n
      type_
      if old > 1000 then walk cell (n - 1) else walk cell (n - 2 + n `rem` 2)

