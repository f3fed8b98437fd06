module Code where

import Data.Array

data Op
  = Push Int
  | Load Int
  | Store Int
  | Add
  | Sub
  | Mul
  | Mod
  | Dup
  | Jump Int
  | JumpZ Int
  | Emit
  | Halt
  deriving (Show, Eq)

type Code = Array Int Op

assemble :: [Op] -> Code
assemble ops = listArray (0, length ops - 1) ops

-- | Iterates a linear congruence: cell 0 counts down, cell 1 holds the value.
congruence :: Int -> Code
congruence rounds = assemble
  [ Push rounds, Store 0
  , Push 7, Store 1
  , Load 0, JumpZ 19
  , Load 1, Push 1103, Mul, Push 12345, Add, Push 65521, Mod, Store 1
  , Load 0, Push 1, Sub, Store 0
  , Jump 4
  , Load 1, Emit
  , Halt
  ]
