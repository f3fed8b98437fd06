-- | Ways to hold an 'MVar' while something is done: the four of the founding document, and the
-- cheapest of them with a handler further up.
module Lock (withMVarNotInlined, withMVarInlined, lock, unsafeWithMVar, unlockingAbove) where

import Control.Concurrent.MVar (MVar, putMVar, takeMVar, tryPutMVar)
import Control.Exception (SomeException, catch, mask, throwIO)
import Control.Monad (void)

-- | What base had in 2006, and has: exceptions are masked but for the action. Not inlined, as it
-- was then.
withMVarNotInlined :: MVar a -> (a -> IO b) -> IO b
withMVarNotInlined m action = mask $ \restore -> do
  a <- takeMVar m
  b <- restore (action a) `catch` \e -> do
    putMVar m a
    throwIO (e :: SomeException)
  putMVar m a
  pure b
{-# NOINLINE withMVarNotInlined #-}

-- | The same, inlined.
withMVarInlined :: MVar a -> (a -> IO b) -> IO b
withMVarInlined m action = mask $ \restore -> do
  a <- takeMVar m
  b <- restore (action a) `catch` \e -> do
    putMVar m a
    throwIO (e :: SomeException)
  putMVar m a
  pure b
{-# INLINE withMVarInlined #-}

-- | Nothing is masked. Whoever is interrupted puts the lock back, held or not.
lock :: MVar () -> IO b -> IO b
lock m action =
  ( do
      takeMVar m
      b <- action
      putMVar m ()
      pure b
  ) `catch` \e -> do
    void (tryPutMVar m ())
    throwIO (e :: SomeException)
{-# INLINE lock #-}

-- | An exception in the action, and nobody has the lock again.
unsafeWithMVar :: MVar a -> (a -> IO b) -> IO b
unsafeWithMVar m action = do
  a <- takeMVar m
  b <- action a
  putMVar m a
  pure b
{-# INLINE unsafeWithMVar #-}

-- | All the work of a thread that holds the lock by 'unsafeWithMVar' again and again: whoever is
-- interrupted puts it back once, up here, held or not.
unlockingAbove :: MVar () -> IO b -> IO b
unlockingAbove m work = work `catch` \e -> do
  void (tryPutMVar m ())
  throwIO (e :: SomeException)
{-# INLINE unlockingAbove #-}
