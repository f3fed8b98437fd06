{-# LANGUAGE FlexibleContexts #-}
module Machine
  ( Instr(..), Program, VM(..), Fault(..)
  , assemble, bootVM, runToHalt
  ) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import Data.Array
import qualified Data.IntMap.Strict as IM

data Instr
  = Push !Int
  | Load !Int
  | Store !Int
  | Add
  | Sub
  | Mul
  | Rem
  | Dup
  | JumpZero !Int
  | Jump !Int
  | Halt
  deriving (Eq, Show)

type Program = Array Int Instr

data VM = VM
  { vmPc    :: !Int
  , vmStack :: ![Int]
  , vmRegs  :: !(IM.IntMap Int)
  , vmTicks :: !Int
  } deriving Show

data Fault
  = StackEmpty !Int
  | BadAddress !Int
  | DivideByZero !Int
  deriving Show

assemble :: [Instr] -> Program
assemble is = listArray (0, length is - 1) is

bootVM :: VM
bootVM = VM { vmPc = 0, vmStack = [], vmRegs = IM.empty, vmTicks = 0 }

runToHalt :: (MonadReader Program m, MonadState VM m, MonadError Fault m) => m ()
runToHalt = do
  i <- fetch
  case i of
    Halt -> return ()
    _    -> do
      execute i
      runToHalt

fetch :: (MonadReader Program m, MonadState VM m, MonadError Fault m) => m Instr
fetch = do
  prog <- ask
  vm <- get
  let pc = vmPc vm
  if inRange (bounds prog) pc
    then do
      put $! vm { vmPc = pc + 1, vmTicks = vmTicks vm + 1 }
      return (prog ! pc)
    else throwError (BadAddress pc)

push :: MonadState VM m => Int -> m ()
push x = do
  vm <- get
  x `seq` put $! vm { vmStack = x : vmStack vm }

pop :: (MonadState VM m, MonadError Fault m) => m Int
pop = do
  vm <- get
  case vmStack vm of
    []       -> throwError (StackEmpty (vmPc vm))
    (x : xs) -> do
      put $! vm { vmStack = xs }
      return x

jumpTo :: MonadState VM m => Int -> m ()
jumpTo target = do
  vm <- get
  put $! vm { vmPc = target }

binary :: (MonadState VM m, MonadError Fault m) => (Int -> Int -> Int) -> m ()
binary f = do
  y <- pop
  x <- pop
  push (f x y)

execute :: (MonadState VM m, MonadError Fault m) => Instr -> m ()
execute instr = case instr of
  Push n -> push n
  Load r -> do
    regs <- gets vmRegs
    push (IM.findWithDefault 0 r regs)
  Store r -> do
    x <- pop
    vm <- get
    put $! vm { vmRegs = IM.insert r x (vmRegs vm) }
  Add -> binary (+)
  Sub -> binary (-)
  Mul -> binary (*)
  Rem -> do
    y <- pop
    x <- pop
    pc <- gets vmPc
    if y == 0
      then throwError (DivideByZero pc)
      else push (x `rem` y)
  Dup -> do
    x <- pop
    push x
    push x
  JumpZero target -> do
    x <- pop
    if x == 0 then jumpTo target else return ()
  Jump target -> jumpTo target
  Halt -> return ()
