module Main (main) where

import qualified DisjointSet as DS
import Data.List (foldl')
import System.Environment (getArgs)

-- | Counts the connected parts of a sparse random graph.

edges :: Int -> [(Int, Int)]
edges n = go (n * 2 `div` 3) 4242
  where
    go :: Int -> Int -> [(Int, Int)]
    go 0 _ = []
    go k s =
      let s1 = step s
          s2 = step s1
       in (s1 `div` 8 `mod` n, s2 `div` 8 `mod` n) : go (k - 1) s2
    step s = (s * 1103515245 + 12345) `mod` 2147483648

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 14000
      sets = foldl' (\d (a, b) -> DS.union a b d) (DS.singletons n) (edges n)
  putStrLn ("parts: " ++ show (DS.count sets))
  putStrLn ("0 and 1 joined: " ++ show (DS.joined 0 1 sets))
