{-# LANGUAGE FlexibleContexts #-}
module Machine (Instr(..), Fault(..), VM(..), boot, runProgram) where

import Control.Monad.Except
import Control.Monad.State.Strict
import Data.Array
import qualified Data.IntMap.Strict as IM

data Instr
  = Push Int | Pop | Dup
  | Add | Sub | Mul | Mod
  | Load Int | Store Int
  | Jump Int | JumpZero Int
  | Halt
  deriving Show

data Fault = StackEmpty Int | NoRegister Int | DivideByZero
  deriving Show

data VM = VM
  { pc    :: !Int
  , stack :: [Int]
  , regs  :: !(IM.IntMap Int)
  , ticks :: !Int
  }

boot :: VM
boot = VM 0 [] IM.empty 0

push :: MonadState VM m => Int -> m ()
push x = modify' (\vm -> vm { stack = x : stack vm })

pop :: (MonadState VM m, MonadError Fault m) => m Int
pop = do
  vm <- get
  case stack vm of
    x : xs -> put vm { stack = xs } >> return x
    [] -> throwError (StackEmpty (pc vm))

binary :: (MonadState VM m, MonadError Fault m) => (Int -> Int -> Int) -> m ()
binary f = do
  b <- pop
  a <- pop
  push $! f a b

jump :: MonadState VM m => Int -> m ()
jump target = modify' (\vm -> vm { pc = target })

step :: (MonadState VM m, MonadError Fault m) => Instr -> m ()
step instr = do
  modify' (\vm -> vm { pc = pc vm + 1, ticks = ticks vm + 1 })
  case instr of
    Push n -> push n
    Pop -> void pop
    Dup -> do { x <- pop; push x; push x }
    Add -> binary (+)
    Sub -> binary (-)
    Mul -> binary (*)
    Mod -> do
      d <- pop
      when (d == 0) $ throwError DivideByZero
      n <- pop
      push $! n `mod` d
    Load r -> do
      rs <- gets regs
      maybe (throwError (NoRegister r)) push (IM.lookup r rs)
    Store r -> do
      x <- pop
      modify' (\vm -> vm { regs = IM.insert r x (regs vm) })
    Jump t -> jump t
    JumpZero t -> do
      x <- pop
      when (x == 0) $ jump t
    Halt -> return ()

runProgram :: (MonadState VM m, MonadError Fault m) => Array Int Instr -> m ()
runProgram code = do
  at <- gets pc
  case code ! at of
    Halt -> return ()
    instr -> step instr >> runProgram code
