{-# LANGUAGE FlexibleContexts #-}
module Machine (Instr (..), Code, VM (..), assemble, emptyVM, runMachine) where

import Control.Monad.Except
import Control.Monad.State.Strict
import Data.Array
import qualified Data.IntMap.Strict as IM

data Instr
  = Push Int | Add | Mul
  | Load Int | Store Int
  | Jump Int | JumpZero Int
  | Halt

type Code = Array Int Instr

data VM = VM
  { vmPc :: !Int
  , vmStack :: ![Int]
  , vmVars :: !(IM.IntMap Int)
  , vmTicks :: !Int
  }

emptyVM :: VM
emptyVM = VM 0 [] IM.empty 0

assemble :: [Instr] -> Code
assemble is = listArray (0, length is - 1) is

push :: MonadState VM m => Int -> m ()
push x = modify' $ \vm -> vm { vmStack = x : vmStack vm }

pop :: (MonadState VM m, MonadError String m) => m Int
pop = do
  vm <- get
  case vmStack vm of
    [] -> throwError ("empty stack at " ++ show (vmPc vm))
    x : xs -> do
      put vm { vmStack = xs }
      return x

next :: MonadState VM m => m ()
next = modify' $ \vm -> vm { vmPc = vmPc vm + 1, vmTicks = vmTicks vm + 1 }

jump :: MonadState VM m => Int -> m ()
jump to = modify' $ \vm -> vm { vmPc = to, vmTicks = vmTicks vm + 1 }

binary :: (MonadState VM m, MonadError String m) => (Int -> Int -> Int) -> m ()
binary op = do
  y <- pop
  x <- pop
  push $! op x y
  next

step :: (MonadState VM m, MonadError String m) => Instr -> m Bool
step instr = case instr of
  Push x -> push x >> next >> return True
  Add -> binary (+) >> return True
  Mul -> binary (*) >> return True
  Load v -> do
    vars <- gets vmVars
    case IM.lookup v vars of
      Nothing -> throwError ("unset variable " ++ show v)
      Just x -> push x >> next >> return True
  Store v -> do
    x <- pop
    modify' $ \vm -> vm { vmVars = IM.insert v x (vmVars vm) }
    next
    return True
  Jump to -> jump to >> return True
  JumpZero to -> do
    x <- pop
    if x == 0 then jump to else next
    return True
  Halt -> return False

runMachine :: (MonadState VM m, MonadError String m) => Code -> m ()
runMachine code = do
  pc <- gets vmPc
  continue <- step (code ! pc)
  when continue (runMachine code)
