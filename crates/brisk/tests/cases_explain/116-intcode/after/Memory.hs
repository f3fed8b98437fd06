module Memory
  ( Memory
  , fromProgram
  , peek
  , poke
  , dump
  ) where

import qualified Data.IntMap.Strict as IM

data Memory = Memory !Int !(IM.IntMap Int)

-- | The program followed by zeroed work space.
fromProgram :: Int -> [Int] -> Memory
fromProgram size code = Memory size (IM.fromDistinctAscList (zip [0 .. size - 1] code))

peek :: Memory -> Int -> Int
peek (Memory size cells) at
  | at >= 0 && at < size = IM.findWithDefault 0 at cells
  | otherwise = error ("address " ++ show at)

poke :: Int -> Int -> Memory -> Memory
poke at x (Memory size cells)
  | at >= 0 && at < size = Memory size (IM.insert at x cells)
  | otherwise = error ("address " ++ show at)

dump :: Memory -> [(Int, Int)]
dump (Memory _ cells) = filter ((/= 0) . snd) (IM.toAscList cells)
