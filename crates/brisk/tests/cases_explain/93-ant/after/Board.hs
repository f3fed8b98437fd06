module Board (Board, MBoard, Cell (..), emptyBoard, cellAt, flipCell, freezeBoard, blackCells, rowText) where

import Control.Monad.ST (ST)
import Data.Array.ST
import Data.Array.Unboxed

data Cell = White | Black
  deriving (Eq, Show)

type Board = UArray (Int, Int) Bool

type MBoard s = STUArray s (Int, Int) Bool

emptyBoard :: Int -> ST s (MBoard s)
emptyBoard side = newArray ((0, 0), (side - 1, side - 1)) False

cellAt :: MBoard s -> (Int, Int) -> ST s Cell
cellAt board pos = do
  black <- readArray board pos
  return (if black then Black else White)

flipCell :: (Int, Int) -> MBoard s -> ST s ()
flipCell pos board = readArray board pos >>= writeArray board pos . not

freezeBoard :: MBoard s -> ST s Board
freezeBoard = freeze

blackCells :: Board -> Int
blackCells board = length (filter id (elems board))

rowText :: Board -> Int -> String
rowText board r = [ if board ! (r, c) then '#' else '.' | c <- [c0 .. c1] ]
  where
    ((_, c0), (_, c1)) = bounds board
