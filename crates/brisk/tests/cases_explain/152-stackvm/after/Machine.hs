module Machine
  ( Instr (..)
  , Program
  , Machine (..)
  , Fault (..)
  , assemble
  , boot
  , run
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
  | Mod
  | Jump !Int
  | JumpZero !Int
  | Out
  | Halt
  deriving (Show)

type Program = Array Int Instr

data Machine = Machine
  { stack  :: [Int]
  , pc     :: !Int
  , memory :: !(IM.IntMap Int)
  , ticks  :: !Int
  , output :: [Int]
  }

data Fault
  = StackUnderflow Int
  | BadAddress Int
  | DivideByZero Int
  deriving (Show)

type Exec = ReaderT Program (StateT Machine (Either Fault))

assemble :: [Instr] -> Program
assemble is = listArray (0, length is - 1) is

boot :: Machine
boot = Machine [] 0 IM.empty 0 []

push :: Int -> Exec ()
push x = x `seq` modify' (\m -> m { stack = x : stack m })

pop :: Exec Int
pop = do
  m <- get
  case stack m of
    []       -> throwError (StackUnderflow (pc m))
    (x : xs) -> do
      put m { stack = xs }
      return x

fetch :: Exec Instr
fetch = do
  code <- ask
  at   <- gets pc
  unless (inRange (bounds code) at) $ throwError (BadAddress at)
  modify' (\m -> m { pc = at + 1, ticks = ticks m + 1 })
  return (code ! at)

jump :: Int -> Exec ()
jump to = modify' (\m -> m { pc = to })

binary :: (Int -> Int -> Exec Int) -> Exec ()
binary op = do
  y <- pop
  x <- pop
  r <- op x y
  push r

remainder :: Int -> Int -> Exec Int
remainder _ 0 = gets pc >>= throwError . DivideByZero
remainder x y = return (x `mod` y)

execute :: Instr -> Exec Bool
execute instr = case instr of
  Push x     -> push x >> return True
  Load a     -> gets (IM.findWithDefault 0 a . memory) >>= push >> return True
  Store a    -> do
    x <- pop
    modify' (\m -> m { memory = IM.insert a x (memory m) })
    return True
  Add        -> binary (\x y -> return (x + y)) >> return True
  Sub        -> binary (\x y -> return (x - y)) >> return True
  Mul        -> binary (\x y -> return (x * y)) >> return True
  Mod        -> binary remainder >> return True
  Jump to    -> jump to >> return True
  JumpZero t -> do
    x <- pop
    when (x == 0) (jump t)
    return True
  Out        -> do
    x <- pop
    modify' (\m -> m { output = x : output m })
    return True
  Halt       -> return False

run :: Exec ()
run = do
  instr <- fetch
  more  <- execute instr
  when more run
