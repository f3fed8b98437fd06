module Cavern (Pos, Cavern, cavern, risk, neighbours) where

import Data.Array.Unboxed

type Pos = (Int, Int)
type Cavern = UArray Pos Int

cavern :: Int -> Cavern
cavern w = listArray ((0, 0), (w - 1, w - 1)) (map level rolls)
  where
    level r = 1 + (r `div` 65536) `mod` 9
    rolls = iterate (\s -> (s * 1103515245 + 12345) `mod` 2147483648) 2021

risk :: Cavern -> Pos -> Int
risk = (!)

neighbours :: Cavern -> Pos -> [Pos]
neighbours c (x, y) = filter (inRange (bounds c)) [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)]
