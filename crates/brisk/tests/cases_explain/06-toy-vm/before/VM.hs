{-# LANGUAGE FlexibleContexts #-}

module VM
  ( Instr (..)
  , Machine (..)
  , Fault (..)
  , Program
  , load
  , boot
  , register
  , runProgram
  ) where

import Control.Monad.Except
import Control.Monad.State.Strict
import Data.Array
import qualified Data.IntMap.Strict as IntMap

data Instr
  = Push !Int
  | Load !Int
  | Store !Int
  | Add
  | Sub
  | Mul
  | Jump !Int
  | JumpZero !Int
  | Halt

data Fault = EmptyStack | BadAddress Int
  deriving (Show)

type Program = Array Int Instr

data Machine = Machine
  { counter :: !Int
  , ticks :: !Int
  , stack :: [Int]
  , memory :: !(IntMap.IntMap Int)
  }

load :: [Instr] -> Program
load is = listArray (0, length is - 1) is

boot :: Int -> Machine
boot n = Machine 0 0 [] (IntMap.fromList [(0, n), (1, 0)])

register :: Int -> Machine -> Int
register r = IntMap.findWithDefault 0 r . memory

pop :: (MonadState Machine m, MonadError Fault m) => m Int
pop = do
  m <- get
  case stack m of
    [] -> throwError EmptyStack
    (x : xs) -> x <$ put m {stack = xs}

push :: MonadState Machine m => Int -> m ()
push x = x `seq` modify' (\m -> m {stack = x : stack m})

jump :: MonadState Machine m => Int -> m ()
jump to = modify' (\m -> m {counter = to})

fetch :: (MonadState Machine m, MonadError Fault m) => Program -> m Instr
fetch p = do
  at <- gets counter
  if inRange (bounds p) at
    then do
      modify' (\m -> m {counter = at + 1, ticks = ticks m + 1})
      return (p ! at)
    else throwError (BadAddress at)

arith :: (MonadState Machine m, MonadError Fault m) => (Int -> Int -> Int) -> m ()
arith f = do
  y <- pop
  x <- pop
  push (f x y `mod` 1000003)

runProgram :: (MonadState Machine m, MonadError Fault m) => Program -> m ()
runProgram p = do
  i <- fetch p
  case i of
    Halt -> return ()
    other -> execute other >> runProgram p

execute :: (MonadState Machine m, MonadError Fault m) => Instr -> m ()
execute i = case i of
  Push k -> push k
  Load r -> gets (register r) >>= push
  Store r -> do
    x <- pop
    modify' (\m -> m {memory = IntMap.insert r x (memory m)})
  Add -> arith (+)
  Sub -> arith (-)
  Mul -> arith (*)
  Jump to -> jump to
  JumpZero to -> do
    x <- pop
    if x == 0 then jump to else return ()
  Halt -> return ()
