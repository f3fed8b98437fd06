module Programs (triangle, alternating, broken) where

import Machine

-- sum of 1 .. n
triangle :: Int -> Code
triangle n = assemble
  [ Push n, Store 0, Push 0, Store 1
  , Load 0, JumpZero 15
  , Load 1, Load 0, Add, Store 1
  , Load 0, Push (-1), Add, Store 0
  , Jump 4
  , Load 1, Halt ]

-- 1 * -1 + 2 ... kept small by multiplication with -1
alternating :: Int -> Code
alternating n = assemble
  [ Push n, Store 0, Push 1, Store 1
  , Load 0, JumpZero 17
  , Load 1, Push (-1), Mul, Load 0, Add, Store 1
  , Load 0, Push (-1), Add, Store 0
  , Jump 4
  , Load 1, Halt ]

broken :: Code
broken = assemble [Push 1, Add, Halt]
