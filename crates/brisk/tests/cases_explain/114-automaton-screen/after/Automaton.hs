module Automaton
  ( Row
  , firstRow
  , advance
  , population
  ) where

import Data.Bits (shiftL, testBit, (.|.))

type Row = [Bool]

firstRow :: Int -> Row
firstRow width = replicate (width - 1) False ++ [True]

-- | One generation of an elementary automaton with dead borders.
advance :: Int -> Row -> Row
advance rule row = go False row
  where
    go l (c : rest@(r : _)) = new l c r : go c rest
    go l [c] = [new l c False]
    go _ [] = []
    new l c r = testBit rule (shiftL (b l) 2 .|. shiftL (b c) 1 .|. b r)
    b True = 1
    b False = 0 :: Int

population :: Row -> Int
population = length . filter id
