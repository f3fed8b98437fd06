{-# LANGUAGE FlexibleContexts #-}
module Machine
  ( Op (..), Machine (..), Limits (..), Fault (..), blank, exec ) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State
import Data.Array (Array, bounds, inRange, (!))
import qualified Data.IntMap.Strict as IM

data Op = Push !Int | Load !Int | Store !Int | Add | Mul | Sub | Mod
        | JumpIfPos !Int | Halt
  deriving Show

data Machine = Machine
  { stack :: [Int]
  , slots :: !(IM.IntMap Int)
  , pc    :: !Int
  , ticks :: !Int
  } deriving Show

newtype Limits = Limits { maxTicks :: Int }

data Fault = StackUnderflow Int | OutOfTicks | BadAddress Int
  deriving Show

blank :: Machine
blank = Machine [] IM.empty 0 0

exec :: (MonadReader Limits m, MonadState Machine m, MonadError Fault m)
     => Array Int Op -> m Int
exec prog = do
  here <- gets pc
  unless (inRange (bounds prog) here) $ throwError (BadAddress here)
  n <- gets ticks
  limit <- asks maxTicks
  when (n >= limit) $ throwError OutOfTicks
  modify $ \m -> m { pc = here + 1, ticks = n + 1 }
  case prog ! here of
    Push k      -> push k >> exec prog
    Load v      -> gets (IM.findWithDefault 0 v . slots) >>= push >> exec prog
    Store v     -> do
      x <- pop
      modify $ \m -> m { slots = IM.insert v x (slots m) }
      exec prog
    Add         -> binary (+) >> exec prog
    Sub         -> binary (-) >> exec prog
    Mul         -> binary (*) >> exec prog
    Mod         -> binary mod >> exec prog
    JumpIfPos t -> do
      x <- pop
      when (x > 0) $ modify $ \m -> m { pc = t }
      exec prog
    Halt        -> pop
  where
    push x = x `seq` modify (\m -> m { stack = x : stack m })
    pop = do
      m <- get
      case stack m of
        []       -> throwError (StackUnderflow (pc m))
        x : rest -> put m { stack = rest } >> return x
    binary f = do
      y <- pop
      x <- pop
      push (f x y)
