module Main (main) where

import System.Environment (getArgs)

import Board
import Search

main :: IO ()
main = do
  [arg] <- getArgs
  let depth = read arg
      found = take (depth + 1) (layers solved)
  mapM_ putStrLn
    [ "moves " ++ show d ++ ": " ++ show (length l) ++ " positions"
    | (d, l) <- zip [0 :: Int ..] found ]
  case last found of
    (b : _) -> mapM_ (putStrLn . concatMap cell) (rows b)
    [] -> putStrLn "no positions left"
  where
    cell Blank = " ."
    cell (Tile n) = ' ' : show n
