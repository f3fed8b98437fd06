module Cpu (Outcome(..), run) where

import Memory

data Outcome = Outcome
  { outputs :: [Int]
  , steps   :: !Int
  , final   :: Memory
  }

run :: [Int] -> Memory -> Outcome
run input0 mem0 = go 0 0 input0 [] mem0
  where
    go :: Int -> Int -> [Int] -> [Int] -> Memory -> Outcome
    go n ip input out mem = n `seq` case op of
      1 -> store 3 (arg 1 + arg 2)
      2 -> store 3 (arg 1 * arg 2)
      3 -> case input of
             x : more -> go n' (ip + 2) more out (poke (raw 1) x mem)
             [] -> error "input exhausted"
      4 -> go n' (ip + 2) input (arg 1 : out) mem
      5 -> go n' (if arg 1 /= 0 then arg 2 else ip + 3) input out mem
      6 -> go n' (if arg 1 == 0 then arg 2 else ip + 3) input out mem
      7 -> store 3 (fromEnum (arg 1 < arg 2))
      8 -> store 3 (fromEnum (arg 1 == arg 2))
      99 -> Outcome (reverse out) n' mem
      _ -> error ("bad opcode " ++ show op ++ " at " ++ show ip)
      where
        n' = n + 1
        word = peek mem ip
        op = word `mod` 100
        raw k = peek mem (ip + k)
        mode k = word `div` (10 ^ (k + 1 :: Int)) `mod` 10
        arg k | mode k == 1 = raw k
              | otherwise = peek mem (raw k)
        store k x = x `seq` go n' (ip + k + 1) input out (poke (raw k) x mem)
