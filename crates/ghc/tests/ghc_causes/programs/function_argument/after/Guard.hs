module Guard (guarded) where

import Data.IORef

guarded :: IORef Int -> (Int -> IO Int) -> IO ()
guarded cell act = do
  value <- readIORef cell
  if value < 0 then return () else do
    next <- act value
    writeIORef cell $! next
{-# INLINE guarded #-}
