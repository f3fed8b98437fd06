module Memory (Memory, load, peek, poke, dump) where

import qualified Data.IntMap.Strict as IntMap

newtype Memory = Memory (IntMap.IntMap Int)

-- | The program text followed by zeroed working space.
load :: Int -> [Int] -> Memory
load space code = Memory (IntMap.fromDistinctAscList (zip [0 ..] cells))
  where cells = code ++ replicate space 0

peek :: Memory -> Int -> Int
peek (Memory cells) at = cells IntMap.! at

poke :: Int -> Int -> Memory -> Memory
poke at v (Memory cells) = Memory (IntMap.insert at v cells)

dump :: Memory -> [Int]
dump (Memory cells) = IntMap.elems cells
