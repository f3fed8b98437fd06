module Memory
  ( Memory
  , fromProgram
  , peek
  , poke
  , dump
  ) where

import Data.Array

type Memory = Array Int Int

-- | The program followed by zeroed work space.
fromProgram :: Int -> [Int] -> Memory
fromProgram size code = listArray (0, size - 1) (code ++ repeat 0)

peek :: Memory -> Int -> Int
peek mem at = mem ! at

poke :: Int -> Int -> Memory -> Memory
poke at x mem = mem // [(at, x)]

dump :: Memory -> [(Int, Int)]
dump = filter ((/= 0) . snd) . assocs
