-- Trees that live and trees that die: a deep one is kept while small ones come and go.
module Main (main) where

import System.Environment (getArgs)

data Tree = Leaf | Node Tree Tree

make :: Int -> Int -> Tree
make seed depth
  | depth == 0 = seed `seq` Leaf
  | otherwise = Node (make (2 * seed) (depth - 1)) (make (2 * seed + 1) (depth - 1))

count :: Tree -> Int
count Leaf = 1
count (Node left right) = count left + count right

main :: IO ()
main = do
  [argument] <- getArgs
  let depth = read argument
      kept = make 1 depth
      others = sum [count (make seed 12) | seed <- [1 .. 2 ^ (depth - 12)]]
  print (count kept)
  print others
  print (count kept)
