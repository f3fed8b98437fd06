{-# LANGUAGE BangPatterns #-}
module Machine (Memory, boot, execute, cells) where

import Data.Array (Array, listArray, (!))
import qualified Data.Array.Unboxed as U

import Program

type Memory = U.UArray Int Int

data Regs = Regs !Int !Int !Int !Int

data Status = Running !Int !Regs Memory | Stopped Memory

boot :: Int -> Memory
boot size = U.listArray (0, size - 1) (replicate size 0)

peek :: Memory -> Int -> Int
peek = (U.!)

poke :: Int -> Int -> Memory -> Memory
poke addr v mem = mem U.// [(addr, v)]

cells :: Memory -> [(Int, Int)]
cells = U.assocs

reg :: Reg -> Regs -> Int
reg A (Regs a _ _ _) = a
reg B (Regs _ b _ _) = b
reg C (Regs _ _ c _) = c
reg D (Regs _ _ _ d) = d

setReg :: Reg -> Int -> Regs -> Regs
setReg A v (Regs _ b c d) = Regs v b c d
setReg B v (Regs a _ c d) = Regs a v c d
setReg C v (Regs a b _ d) = Regs a b v d
setReg D v (Regs a b c _) = Regs a b c v

step :: Instr -> Int -> Regs -> Memory -> Status
step instr pc rs mem = case instr of
  Set r n         -> next (setReg r n rs)
  Add r q         -> next (setReg r (reg r rs + reg q rs) rs)
  Inc r           -> next (setReg r (reg r rs + 1) rs)
  Load r p        -> next (setReg r (peek mem (reg p rs)) rs)
  Store p r       -> let !mem' = poke (reg p rs) (reg r rs) mem
                     in Running (pc + 1) rs mem'
  JumpLess x y to -> goto (if reg x rs < reg y rs then to else pc + 1)
  JumpZero x to   -> goto (if reg x rs == 0 then to else pc + 1)
  Jump to         -> goto to
  Halt            -> Stopped mem
  where
    next rs' = Running (pc + 1) rs' mem
    goto to  = Running to rs mem

-- | Runs until Halt; also counts the instructions.
execute :: [Instr] -> Memory -> (Int, Memory)
execute prog = go 0 0 (Regs 0 0 0 0)
  where
    code :: Array Int Instr
    code = listArray (0, length prog - 1) prog
    go :: Int -> Int -> Regs -> Memory -> (Int, Memory)
    go !ticks pc rs mem = case step (code ! pc) pc rs mem of
      Running pc' rs' mem' -> go (ticks + 1) pc' rs' mem'
      Stopped final        -> (ticks, final)
