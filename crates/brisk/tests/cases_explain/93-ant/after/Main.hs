module Main (main) where

import Control.Monad.ST (ST, runST)
import System.Environment (getArgs)

import Board

data Heading = North | East | South | West
  deriving (Eq, Enum, Show)

data Ant = Ant
  { antPos     :: !(Int, Int)
  , antHeading :: !Heading
  }

side :: Int
side = 64

turnRight, turnLeft :: Heading -> Heading
turnRight h = toEnum ((fromEnum h + 1) `mod` 4)
turnLeft h = toEnum ((fromEnum h + 3) `mod` 4)

forward :: Ant -> Ant
forward (Ant (r, c) h) = Ant (wrap r', wrap c') h
  where
    (r', c') = case h of
      North -> (r - 1, c)
      South -> (r + 1, c)
      East  -> (r, c + 1)
      West  -> (r, c - 1)
    wrap x = x `mod` side

turn :: Cell -> Ant -> Ant
turn White a = a { antHeading = turnRight (antHeading a) }
turn Black a = a { antHeading = turnLeft (antHeading a) }

walk :: Int -> Ant -> MBoard s -> ST s Ant
walk 0 ant _ = return ant
walk n ant board = do
  cell <- cellAt board (antPos ant)
  flipCell (antPos ant) board
  let ant' = forward (turn cell ant)
  ant' `seq` walk (n - 1) ant' board

play :: Int -> (Ant, Board)
play n = runST $ do
  board <- emptyBoard side
  ant <- walk n (Ant (side `div` 2, side `div` 2) North) board
  final <- freezeBoard board
  return (ant, final)

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  let (ant, board) = play n
  putStrLn ("ant at " ++ show (antPos ant) ++ " heading " ++ show (antHeading ant))
  putStrLn (show (blackCells board) ++ " black cells")
  mapM_ (putStrLn . rowText board) [0 .. side - 1]
