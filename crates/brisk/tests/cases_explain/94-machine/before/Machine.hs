{-# LANGUAGE FlexibleContexts #-}
module Machine (Instr (..), Machine (..), newMachine, runProgram) where

import Control.Monad.Except
import Control.Monad.State.Strict
import Data.Array (Array, bounds, (!))
import qualified Data.IntMap.Strict as IntMap

data Instr
  = Push Int
  | Load Int
  | Store Int
  | Add
  | Mul
  | Mod
  | JumpIfZero Int
  | Jump Int
  | Halt

data Machine = Machine
  { pc     :: !Int
  , stack  :: [Int]
  , memory :: !(IntMap.IntMap Int)
  , steps  :: !Int
  }

newMachine :: IntMap.IntMap Int -> Machine
newMachine mem = Machine { pc = 0, stack = [], memory = mem, steps = 0 }

push :: MonadState Machine m => Int -> m ()
push x = x `seq` modify' (\m -> m { stack = x : stack m })

pop :: (MonadState Machine m, MonadError String m) => m Int
pop = do
  m <- get
  case stack m of
    []       -> throwError ("empty stack at " ++ show (pc m))
    (x : xs) -> do
      put m { stack = xs }
      return x

jump :: MonadState Machine m => Int -> m ()
jump target = modify' (\m -> m { pc = target })

binary :: (MonadState Machine m, MonadError String m) => (Int -> Int -> m Int) -> m ()
binary f = do
  b <- pop
  a <- pop
  f a b >>= push

-- | Perform one instruction; the answer says whether to go on.
perform :: (MonadState Machine m, MonadError String m) => Instr -> m Bool
perform instr = case instr of
  Push x       -> push x >> return True
  Load a       -> gets (IntMap.findWithDefault 0 a . memory) >>= push >> return True
  Store a      -> do
    x <- pop
    modify' (\m -> m { memory = IntMap.insert a x (memory m) })
    return True
  Add          -> binary (\a b -> return (a + b)) >> return True
  Mul          -> binary (\a b -> return (a * b)) >> return True
  Mod          -> binary modulo >> return True
  JumpIfZero t -> do
    x <- pop
    when (x == 0) (jump t)
    return True
  Jump t       -> jump t >> return True
  Halt         -> return False
  where
    modulo _ 0 = throwError "division by zero"
    modulo a b = return (a `mod` b)

runProgram :: (MonadState Machine m, MonadError String m) => Array Int Instr -> m ()
runProgram code = do
  at <- gets pc
  if at > snd (bounds code)
    then throwError ("no instruction at " ++ show at)
    else do
      modify' (\m -> m { pc = at + 1, steps = steps m + 1 })
      continue <- perform (code ! at)
      when continue (runProgram code)
