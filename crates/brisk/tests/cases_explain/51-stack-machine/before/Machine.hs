{-# LANGUAGE FlexibleContexts #-}
module Machine
  ( Machine (..)
  , Trap (..)
  , boot
  , runToHalt
  ) where

import Code
import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import Data.Array (bounds, inRange, (!))
import qualified Data.IntMap.Strict as IM

data Machine = Machine
  { pc :: !Int
  , stack :: [Int]
  , cells :: !(IM.IntMap Int)
  , emitted :: [Int]
  , ticks :: !Int
  }

data Trap = Underflow Int | BadAddress Int | BadJump Int
  deriving (Show)

boot :: Machine
boot = Machine 0 [] IM.empty [] 0

fetch :: (MonadReader Code m, MonadState Machine m, MonadError Trap m) => m Op
fetch = do
  at <- gets pc
  code <- ask
  unless (inRange (bounds code) at) $ throwError (BadJump at)
  modify' $ \m -> m { pc = at + 1, ticks = ticks m + 1 }
  pure (code ! at)

push :: MonadState Machine m => Int -> m ()
push x = x `seq` modify' (\m -> m { stack = x : stack m })

pop :: (MonadState Machine m, MonadError Trap m) => m Int
pop = do
  m <- get
  case stack m of
    [] -> throwError (Underflow (pc m))
    x : rest -> put m { stack = rest } >> pure x

binary :: (MonadState Machine m, MonadError Trap m) => (Int -> Int -> Int) -> m ()
binary f = do
  y <- pop
  x <- pop
  push (f x y)

runToHalt :: (MonadReader Code m, MonadState Machine m, MonadError Trap m) => m ()
runToHalt = do
  op <- fetch
  case op of
    Push n -> push n >> runToHalt
    Load a -> do
      found <- gets (IM.lookup a . cells)
      maybe (throwError (BadAddress a)) push found
      runToHalt
    Store a -> do
      x <- pop
      modify' $ \m -> m { cells = IM.insert a x (cells m) }
      runToHalt
    Add -> binary (+) >> runToHalt
    Sub -> binary (-) >> runToHalt
    Mul -> binary (*) >> runToHalt
    Mod -> binary mod >> runToHalt
    Dup -> do
      x <- pop
      push x >> push x
      runToHalt
    Jump t -> modify' (\m -> m { pc = t }) >> runToHalt
    JumpZ t -> do
      x <- pop
      when (x == 0) $ modify' (\m -> m { pc = t })
      runToHalt
    Emit -> do
      x <- pop
      modify' $ \m -> m { emitted = x : emitted m }
      runToHalt
    Halt -> pure ()
