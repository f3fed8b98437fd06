module Machine (Instr(..), Program, Machine(..), Fault(..), boot, run) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import Data.Array

data Instr
  = Push Int | Add | Sub | Mul | Dup | Load Int | Store Int
  | JumpIfZero Int | Jump Int | Halt
  deriving Show

type Program = Array Int Instr

data Machine = Machine
  { pc    :: !Int
  , stack :: [Int]
  , regA  :: !Int
  , regB  :: !Int
  , steps :: !Int
  }

data Fault = StackUnderflow Int | BadRegister Int
  deriving Show

type VM = ReaderT Program (StateT Machine (Except Fault))

boot :: Int -> Machine
boot n = Machine 0 [] n 0 0

pop :: VM Int
pop = do
  m <- get
  case stack m of
    []     -> throwError (StackUnderflow (pc m))
    x : xs -> put m { stack = xs } >> return x

push :: Int -> VM ()
push x = x `seq` modify' (\m -> m { stack = x : stack m })

fetch :: VM Instr
fetch = do
  m <- get
  put m { pc = pc m + 1, steps = steps m + 1 }
  asks (! pc m)

jump :: Int -> VM ()
jump t = modify' (\m -> m { pc = t })

binary :: (Int -> Int -> Int) -> VM ()
binary f = do
  y <- pop
  x <- pop
  push (f x y)

run :: VM Int
run = do
  i <- fetch
  case i of
    Push n       -> push n >> run
    Add          -> binary (+) >> run
    Sub          -> binary (-) >> run
    Mul          -> binary (\x y -> x * y `mod` 1000003) >> run
    Dup          -> pop >>= \x -> push x >> push x >> run
    Load 0       -> gets regA >>= push >> run
    Load 1       -> gets regB >>= push >> run
    Load r       -> throwError (BadRegister r)
    Store 0      -> pop >>= \x -> modify' (\m -> m { regA = x }) >> run
    Store 1      -> pop >>= \x -> modify' (\m -> m { regB = x }) >> run
    Store r      -> throwError (BadRegister r)
    JumpIfZero t -> pop >>= \x -> (if x == 0 then jump t else return ()) >> run
    Jump t       -> jump t >> run
    Halt         -> gets regB
