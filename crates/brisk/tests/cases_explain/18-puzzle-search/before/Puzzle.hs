module Puzzle
  ( Board
  , Key
  , solved
  , moves
  , key
  ) where

-- | The tiles of a three by three sliding puzzle, row by row.
data Board = Board
  { hole :: !Int
  , tiles :: [Tile]
  }
  deriving (Eq, Ord, Show)

newtype Tile = Tile {number :: Int}
  deriving (Eq, Ord, Show)

type Key = String

key :: Board -> Key
key = show

solved :: Board
solved = Board 8 (map Tile [1, 2, 3, 4, 5, 6, 7, 8, 0])

moves :: Board -> [Board]
moves b = [slide b to | to <- around (hole b)]

around :: Int -> [Int]
around h =
  [h - 1 | h `mod` 3 > 0] ++ [h + 1 | h `mod` 3 < 2] ++ [h - 3 | h > 2] ++ [h + 3 | h < 6]

slide :: Board -> Int -> Board
slide b to = Board to (zipWith place [0 ..] (tiles b))
  where
    moved = tiles b !! to
    place i t
      | i == to = Tile 0
      | i == hole b = moved
      | otherwise = t
