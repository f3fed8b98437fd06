module Program (Instr(..), Reg(..), sieve) where

data Reg = A | B | C | D
  deriving (Eq, Show, Enum)

data Instr
  = Set Reg Int
  | Add Reg Reg
  | Inc Reg
  | Load Reg Reg      -- ^ @Load r p@: r := memory[p]
  | Store Reg Reg     -- ^ @Store p r@: memory[p] := r
  | JumpLess Reg Reg Int
  | JumpZero Reg Int
  | Jump Int
  | Halt
  deriving Show

-- | Marks the composite numbers below the given size with a one.
-- A: candidate, B: multiple, C: scratch, D: limit
sieve :: Int -> [Instr]
sieve size =
  [ Set A 1
  , Set D size
  , Inc A                -- 2: next candidate
  , JumpLess A D 5
  , Halt
  , Load C A             -- 5
  , JumpZero C 8
  , Jump 2
  , Set B 0              -- 8: a prime
  , Add B A
  , Add B A              -- 10
  , JumpLess B D 13
  , Jump 2
  , Set C 1              -- 13
  , Store B C
  , Jump 10
  ]
