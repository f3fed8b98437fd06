-- | The transform by several threads, which make parts of the result in one
-- pass each.
module Dwt.Parallel
  ( level
  , divided
  , ranges
  ) where

import Control.Concurrent (forkOn, myThreadId, threadCapability)
import Control.Concurrent.MVar (newEmptyMVar, putMVar, takeMVar)
import Control.Exception (SomeException, throwIO, try, uninterruptibleMask_)
import Control.Monad (forM_, unless, when)
import Data.IORef (atomicModifyIORef', newIORef, readIORef, writeIORef)
import qualified Data.Vector.Storable as Vector
import qualified Data.Vector.Storable.Mutable as Mutable

import Dwt.Lattice
import Dwt.Wave (levelOf)

-- | Does all of them by so many threads, this one among them, and ends when
-- all are done; fails when one of them has failed, after the others.
--
-- Each thread takes the next one that nobody has taken. What it waits for are
-- not the other threads: one that gets no processor in time finds nothing
-- left to do, and nobody misses it. It cannot be interrupted, since what is
-- done writes to memory that this thread keeps alive.
--
-- It is quick in a thread that is not bound to one of the system, as the main
-- thread is.
divided :: Int -> [IO ()] -> IO ()
divided _ [] = pure ()
divided threads actions
  | threads == 1 || length actions == 1 = sequence_ actions
  | otherwise = uninterruptibleMask_ $ do
      waiting <- newIORef actions
      unfinished <- newIORef (length actions)
      failed <- newIORef Nothing
      finished <- newEmptyMVar
      let
        work = do
          next <- atomicModifyIORef' waiting (\left -> (drop 1 left, take 1 left))
          unless (null next) $ do
            outcome <- try (sequence_ next)
            either (\why -> writeIORef failed (Just (why :: SomeException))) pure outcome
            left <- atomicModifyIORef' unfinished (\count -> (count - 1, count - 1))
            when (left == 0) (putMVar finished ())
            work
      (here, _) <- threadCapability =<< myThreadId
      forM_ [1 .. min threads (length actions) - 1] $ \other -> forkOn (here + other) work
      work
      takeMVar finished
      readIORef failed >>= mapM_ throwIO

-- | So many pairs of samples in parts: four for each thread, so that it
-- matters little when one of them is late, but none that would take no longer
-- than handing it over.
ranges :: Int -> Int -> [(Int, Int)]
ranges threads pairs = zip bounds (drop 1 bounds)
  where
    count = if threads == 1 then 1 else max 1 (min (4 * threads) (pairs `div` 1024))
    bounds = [pairs * part `div` count | part <- [0 .. count]]

-- | All layers, by so many threads.
level :: Int -> Lattice -> Signal -> IO Signal
level threads which signal = do
  result <- Mutable.unsafeNew size
  Vector.unsafeWith signal $ \from ->
    Mutable.unsafeWith result $ \to ->
      divided threads [levelOf which from size to part | part <- ranges threads (size `div` 2)]
  Vector.unsafeFreeze result
  where
    size = Vector.length signal
{-# NOINLINE level #-}
