module Fleet
  ( Fleet
  , Command (..)
  , Direction (..)
  , park
  , obey
  , moves
  , distance
  ) where

import qualified Data.Map.Strict as Map

data Direction = North | East | South | West
  deriving (Enum)

data Command = Command !Int !Direction

data Robot = Robot
  { east :: !Int
  , north :: !Int
  , steps :: !Int
  }

newtype Fleet = Fleet (Map.Map Int Robot)

park :: Int -> Fleet
park n = Fleet (Map.fromList [(i, Robot 0 i 0) | i <- [0 .. n - 1]])

move :: Direction -> Robot -> Robot
move d r = case d of
  North -> r' {north = north r + 1}
  South -> r' {north = north r - 1}
  East -> r' {east = east r + 1}
  West -> r' {east = east r - 1}
  where
    r' = r {steps = steps r + 1}

obey :: Command -> Fleet -> Fleet
obey (Command robot d) (Fleet robots) = Fleet (Map.fromList (map update (Map.toList robots)))
  where
    update (i, r)
      | i == robot = (i, move d r)
      | otherwise = (i, r)

moves :: Fleet -> Int
moves (Fleet robots) = sum (map steps (Map.elems robots))

distance :: Fleet -> Int
distance (Fleet robots) = sum [abs (east r) + abs (north r) | r <- Map.elems robots]
