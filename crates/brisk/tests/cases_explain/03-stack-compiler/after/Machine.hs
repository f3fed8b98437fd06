module Machine (Instr (..), run) where

import Data.List (foldl')

data Instr
  = Push Int
  | Load Int
  | IAdd
  | ISub
  | IMul

run :: [Instr] -> Int
run code = case foldl' step [] code of
  [x] -> x
  _ -> error "unbalanced stack"

step :: [Int] -> Instr -> [Int]
step stack (Push k) = k : stack
step stack (Load v) = (v * 11 + 1) : stack
step (y : x : rest) IAdd = let z = x + y in z `seq` (z : rest)
step (y : x : rest) ISub = let z = x - y in z `seq` (z : rest)
step (y : x : rest) IMul = let z = x * y `mod` 10007 in z `seq` (z : rest)
step _ _ = error "stack underflow"
