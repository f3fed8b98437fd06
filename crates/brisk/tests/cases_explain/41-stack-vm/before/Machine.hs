{-# LANGUAGE BangPatterns #-}
module Machine (Instr (..), Program, assemble, execute) where

import Data.Array
import Memory

data Instr
  = Push !Int
  | Load !Addr
  | Store !Addr
  | Add
  | Mul
  | Mod
  | Dup
  | JumpUnlessZero !Int
  | Print
  | Halt
  deriving (Show, Eq)

type Program = Array Int Instr

assemble :: [Instr] -> Program
assemble is = listArray (0, length is - 1) is

-- | Runs a program from its first instruction; answers the number of
-- instructions executed. The operand stack lives above address 64.
execute :: MonadMemory m => Program -> m Int
execute prog = go 0 64 (0 :: Int)
  where
    go !pc !sp !ticks = case prog ! pc of
      Halt -> return ticks
      Push k -> push k >> next (sp + 1)
      Load a -> loadWord a >>= push >> next (sp + 1)
      Store a -> pop >>= storeWord a >> next (sp - 1)
      Add -> binary (+)
      Mul -> binary (*)
      Mod -> binary mod
      Dup -> pop >>= storeWord sp >> next (sp + 1)
      Print -> pop >>= output >> next (sp - 1)
      JumpUnlessZero target -> do
        v <- pop
        go (if v /= 0 then target else pc + 1) (sp - 1) (ticks + 1)
      where
        next sp' = go (pc + 1) sp' (ticks + 1)
        push = storeWord sp
        pop = loadWord (sp - 1)
        binary f = do
          y <- pop
          x <- loadWord (sp - 2)
          storeWord (sp - 2) (f x y)
          next (sp - 1)
