module Main (main) where

import Control.Monad (foldM)
import System.Environment (getArgs)
import Text.Printf (printf)

import Dice

data Tally = Tally
  { rounds :: !Int
  , total  :: !Int
  , busts  :: !Int
  , most   :: !Int
  }

count :: Tally -> Round -> Tally
count (Tally n t b m) r =
  Tally (n + 1) (t + points r) (if bust r then b + 1 else b) (max m (throws r))

tournament :: Cup -> Int -> IO Tally
tournament cup n = foldM next (Tally 0 0 0 0) [1 .. n]
  where
    next t _ = do
      r <- playRound cup
      return $! count t r

main :: IO ()
main = do
  args <- getArgs
  let n = case args of { (a : _) -> read a; [] -> 600000 }
  cup <- newCup 31
  t <- tournament cup n
  printf "rounds %d, points %d\n" (rounds t) (total t)
  printf "busts %d, longest round %d throws\n" (busts t) (most t)
  d <- throwDie cup
  printf "next die %d\n" d
