{-# LANGUAGE FlexibleContexts #-}
module VM
  ( Instr (..)
  , Machine (..)
  , VMError (..)
  , boot
  , execute
  ) where

import Control.Monad.Except
import Control.Monad.State.Strict
import Data.Array
import qualified Data.IntMap.Strict as IM

data Instr
  = Push Int
  | Load Int
  | Store Int
  | Add
  | Sub
  | Mul
  | Mod
  | JumpIfZero Int
  | Jump Int
  | Print
  | Halt
  deriving Show

data Machine = Machine
  { pc     :: !Int
  , stack  :: [Int]
  , memory :: !(IM.IntMap Int)
  , output :: [Int]
  , ticks  :: !Int
  }

data VMError
  = StackUnderflow Int
  | BadAddress Int
  deriving Show

boot :: Machine
boot = Machine 0 [] IM.empty [] 0

push :: MonadState Machine m => Int -> m ()
push x = x `seq` modify' (\m -> m { stack = x : stack m })

pop :: (MonadState Machine m, MonadError VMError m) => m Int
pop = do
  m <- get
  case stack m of
    x : rest -> x <$ put m { stack = rest }
    []       -> throwError (StackUnderflow (pc m))

binary :: (MonadState Machine m, MonadError VMError m) => (Int -> Int -> Int) -> m ()
binary f = do
  y <- pop
  x <- pop
  push (f x y)

-- | Executes one instruction; says whether the machine goes on.
step :: (MonadState Machine m, MonadError VMError m) => Instr -> m Bool
step instr = case instr of
  Push n -> push n >> next
  Load a -> do
    cells <- gets memory
    maybe (throwError (BadAddress a)) push (IM.lookup a cells)
    next
  Store a -> do
    x <- pop
    modify' (\m -> m { memory = IM.insert a x (memory m) })
    next
  Add -> binary (+) >> next
  Sub -> binary (-) >> next
  Mul -> binary (*) >> next
  Mod -> binary mod >> next
  JumpIfZero to -> do
    x <- pop
    if x == 0 then goto to else next
  Jump to -> goto to
  Print -> do
    x <- pop
    modify' (\m -> m { output = x : output m })
    next
  Halt -> return False
  where
    next    = True <$ modify' (\m -> m { pc = pc m + 1, ticks = ticks m + 1 })
    goto to = True <$ modify' (\m -> m { pc = to, ticks = ticks m + 1 })

execute :: (MonadState Machine m, MonadError VMError m) => Array Int Instr -> m ()
execute code = do
  at <- gets pc
  running <- step (code ! at)
  when running (execute code)
