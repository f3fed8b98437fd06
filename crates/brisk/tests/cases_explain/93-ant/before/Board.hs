module Board (Board, Cell (..), emptyBoard, cellAt, flipCell, blackCells, rowText) where

import Data.Array

data Cell = White | Black
  deriving (Eq, Show)

type Board = Array (Int, Int) Cell

emptyBoard :: Int -> Board
emptyBoard side = listArray ((0, 0), (side - 1, side - 1)) (repeat White)

cellAt :: Board -> (Int, Int) -> Cell
cellAt = (!)

flipCell :: (Int, Int) -> Board -> Board
flipCell pos board = cell `seq` (board // [(pos, cell)])
  where
    cell = other (board ! pos)

other :: Cell -> Cell
other White = Black
other Black = White

blackCells :: Board -> Int
blackCells board = length (filter (== Black) (elems board))

rowText :: Board -> Int -> String
rowText board r = [ if board ! (r, c) == Black then '#' else '.' | c <- [c0 .. c1] ]
  where
    ((_, c0), (_, c1)) = bounds board
