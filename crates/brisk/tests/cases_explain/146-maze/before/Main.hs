module Main (main) where

import Data.List (foldl', sortOn)
import Maze
import System.Environment (getArgs)

walls :: Int -> [Wall]
walls w = map snd (sortOn fst (zip rolls everyWall))
  where
    everyWall =
      [ (c, c + d)
      | y <- [0 .. w - 1], x <- [0 .. w - 1]
      , let c = y * w + x
      , (d, ok) <- [(1, x + 1 < w), (w, y + 1 < w)], ok ]

rolls :: [Int]
rolls = map (`div` 65536) (tail (iterate (\s -> (s * 1103515245 + 12345) `mod` 2147483648) 99))

main :: IO ()
main = do
  [arg] <- getArgs
  let w = read arg
      open = carve (w * w) (walls w)
  putStrLn ("cells: " ++ show (w * w))
  putStrLn ("opened: " ++ show (length open))
  putStrLn ("checksum: " ++ show (foldl' (\h (a, b) -> (h * 31 + a * 7 + b) `mod` 1000003) 0 open))
