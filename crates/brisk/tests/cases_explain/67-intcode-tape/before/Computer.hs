module Computer (Computer (..), start, run) where

import Memory

data Computer = Computer
  { ip     :: !Int
  , memory :: !Memory
  }

start :: Memory -> Computer
start m = Computer { ip = 0, memory = m }

run :: Computer -> Computer
run c = case op `mod` 100 of
    1  -> run (write (a + b))
    2  -> run (write (a * b `mod` 1000003))
    5  -> run c { ip = if a /= 0 then b else ip c + 3 }
    -- 9 is ours: store a through the pointer b
    9  -> run c { ip = ip c + 3, memory = poke b a (memory c) }
    99 -> c
    k  -> error ("bad opcode " ++ show k ++ " at " ++ show (ip c))
  where
    at n    = peek (memory c) (ip c + n)
    op      = at 0
    a       = operand 1 100
    b       = operand 2 1000
    operand n place
      | op `div` place `mod` 10 == 1 = at n
      | otherwise                    = peek (memory c) (at n)
    write v = c { ip = ip c + 4, memory = poke (at 3) v (memory c) }
