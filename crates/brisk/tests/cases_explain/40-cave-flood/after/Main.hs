module Main (main) where

import System.Environment (getArgs)

import Cave
import Flood

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        a : _ -> read a
        []    -> 120
      cave   = dig n
      result = explore cave (Pos 1 1)
      cells  = length [() | r <- [0 .. side cave - 1], c <- [0 .. side cave - 1], open cave (Pos r c)]
  putStrLn ("open cells: " ++ show cells)
  putStrLn ("flooded:    " ++ show (flooded result))
  putStrLn ("minutes:    " ++ show (minutes result))
  putStrLn ("widest:     " ++ show (widest result))
  putStrLn ("last:       " ++ show (farthest result))
