module Main (main) where

import Puzzle
import qualified Data.Set as Set
import System.Environment (getArgs)

-- | Breadth-first search with the boards that were seen kept in a set.
search :: Int -> [Board] -> Set.Set Key -> Int -> (Int, Int)
search limit level seen depth
  | depth == limit || null level = (Set.size seen, depth)
  | otherwise = search limit next seen' (depth + 1)
  where
    (next, seen') = foldl visit ([], seen) (concatMap moves level)
    visit (acc, s) b
      | k `Set.member` s = (acc, s)
      | otherwise = (b : acc, Set.insert k s)
      where
        k = key b

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 16
      (states, depth) = search n [solved] (Set.singleton (key solved)) 0
  putStrLn ("states " ++ show states)
  putStrLn ("depth  " ++ show depth)
