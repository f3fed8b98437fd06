module Programs (sumOfSquares) where

import Data.Array

import Machine

-- | Register 0 counts down, register 1 gathers squares modulo a prime.
sumOfSquares :: Int -> Array Int Instr
sumOfSquares n = listArray (0, length code - 1) code
  where
    code =
      [ Push n, Store 0
      , Push 0, Store 1
      , Load 0, JumpZero 17
      , Load 0, Dup, Mul
      , Load 1, Add, Push 1000003, Mod, Store 1
      , Load 0, Push 1, Jump 18
      , Halt
      , Sub, Store 0, Jump 4
      ]
