{-# LANGUAGE FlexibleContexts #-}
module Machine
  ( Op (..)
  , Machine (..)
  , boot
  , runProgram
  ) where

import Control.Monad.State.Strict
import Data.Array

data Op
  = Push Int
  | Add
  | Mul
  | ModBy Int
  | Load Int
  | Store Int
  | JumpIfPos Int
  | Halt

data Machine = Machine
  { pc    :: !Int
  , stack :: [Int]
  , regA  :: !Int
  , regB  :: !Int
  , steps :: !Int
  }

boot :: Int -> Machine
boot n = Machine { pc = 0, stack = [], regA = n, regB = 1, steps = 0 }

{-# INLINABLE push #-}
push :: MonadState Machine m => Int -> m ()
push x = x `seq` modify' (\m -> m { stack = x : stack m })

{-# INLINABLE pop #-}
pop :: MonadState Machine m => m Int
pop = do
  m <- get
  case stack m of
    []     -> return 0
    x : xs -> do
      put m { stack = xs }
      return x

{-# INLINABLE jump #-}
jump :: MonadState Machine m => Int -> m ()
jump to = modify' (\m -> m { pc = to })

{-# INLINABLE binary #-}
binary :: MonadState Machine m => (Int -> Int -> Int) -> m ()
binary f = do
  y <- pop
  x <- pop
  push (f x y)

-- | Run until the program halts.
{-# INLINABLE runProgram #-}
runProgram :: MonadState Machine m => Array Int Op -> m ()
runProgram code = do
  m <- get
  put m { pc = pc m + 1, steps = steps m + 1 }
  case code ! pc m of
    Halt        -> return ()
    Push x      -> push x >> next
    Add         -> binary (+) >> next
    Mul         -> binary (*) >> next
    ModBy d     -> pop >>= push . (`mod` d) >> next
    Load 0      -> gets regA >>= push >> next
    Load _      -> gets regB >>= push >> next
    Store 0     -> pop >>= \x -> modify' (\s -> s { regA = x }) >> next
    Store _     -> pop >>= \x -> modify' (\s -> s { regB = x }) >> next
    JumpIfPos a -> do
      x <- pop
      when (x > 0) (jump a)
      next
  where
    next = runProgram code
