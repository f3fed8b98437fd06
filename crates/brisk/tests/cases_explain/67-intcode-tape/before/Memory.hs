module Memory (Memory, load, peek, poke, dump) where

import Data.Array

newtype Memory = Memory (Array Int Int)

-- | The program text followed by zeroed working space.
load :: Int -> [Int] -> Memory
load space code = Memory (listArray (0, length cells - 1) cells)
  where cells = code ++ replicate space 0

peek :: Memory -> Int -> Int
peek (Memory cells) at = cells ! at

poke :: Int -> Int -> Memory -> Memory
poke at v (Memory cells) = v `seq` Memory (cells // [(at, v)])

dump :: Memory -> [Int]
dump (Memory cells) = elems cells
