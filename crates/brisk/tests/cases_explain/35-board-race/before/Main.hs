{-# LANGUAGE BangPatterns #-}
module Main (main) where

import System.Environment (getArgs)
import Text.Printf (printf)

import Board
import Dice

data Tally = Tally
  { games   :: !Int
  , longest :: !Int
  , sixes   :: !Int
  }

-- | Plays one game after the other until the given number of rolls is used.
playOn :: Int -> Board -> Tally
playOn budget board = go budget rolls 0 0 (Tally 0 0 0)
  where
    go :: Int -> [Int] -> Int -> Int -> Tally -> Tally
    go 0 _ _ _ !t = t
    go _ [] _ _ t = t
    go n (d : ds) !pos !len !t
      | pos' == goal board = go (n - 1) ds 0 0 t''
      | otherwise          = go (n - 1) ds pos' (len + 1) t'
      where
        moved = pos + d
        pos' | moved > goal board = pos
             | otherwise          = land board moved
        t'  = if d == 6 then t { sixes = sixes t + 1 } else t
        t'' = t' { games = games t' + 1, longest = max (longest t') (len + 1) }

report :: Int -> Board -> IO ()
report budget b = printf "%-9s games %6d, longest %4d, sixes %6d\n"
                         (title b) (games t) (longest t) (sixes t)
  where t = playOn budget b

main :: IO ()
main = do
  args <- getArgs
  let budget = case args of
        a : _ -> read a
        []    -> 3000000
  mapM_ (report budget) [classic, slippery, generous]
