module Machine (execute) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import Data.Array ((!))
import qualified Data.IntMap.Strict as IM
import Types

push :: Int -> App ()
push x = do
  limit <- asks maxDepth
  m <- get
  when (depth m >= limit) $ throwError (StackOverflow (pc m))
  put $! x `seq` m { depth = depth m + 1, stack = x : stack m }

pop :: App Int
pop = do
  m <- get
  case stack m of
    []     -> throwError (StackUnderflow (pc m))
    x : xs -> do
      put $! m { depth = depth m - 1, stack = xs }
      return x

loadSlot :: Int -> App Int
loadSlot k = gets (IM.findWithDefault 0 k . slots)

storeSlot :: Int -> Int -> App ()
storeSlot k x = modify' (\m -> m { slots = IM.insert k x (slots m) })

binary :: (Int -> Int -> Int) -> App ()
binary f = do
  y <- pop
  x <- pop
  push (f x y)

jump :: Int -> App ()
jump target = modify' (\m -> m { pc = target })

tick :: App Instr
tick = do
  limit <- asks maxSteps
  code <- asks program
  m <- get
  when (steps m >= limit) $ throwError (OutOfSteps (pc m))
  put $! m { pc = pc m + 1, steps = steps m + 1 }
  return (code ! pc m)

step :: Instr -> App Bool
step instr = case instr of
  Push x  -> push x >> return True
  Load k  -> loadSlot k >>= push >> return True
  Store k -> pop >>= storeSlot k >> return True
  Add     -> binary (+) >> return True
  Sub     -> binary (-) >> return True
  Mul     -> binary (*) >> return True
  Rem     -> do
    y <- pop
    x <- pop
    at <- gets pc
    when (y == 0) $ throwError (DivisionByZero at)
    push (x `rem` y)
    return True
  JumpIfZero t -> do
    x <- pop
    when (x == 0) $ jump t
    return True
  Jump t -> jump t >> return True
  Halt   -> return False

execute :: App Int
execute = do
  instr <- tick
  go <- step instr
  if go then execute else gets steps
