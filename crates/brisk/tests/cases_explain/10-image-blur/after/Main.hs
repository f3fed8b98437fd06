module Main (main) where

import Image
import System.Environment (getArgs)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 210
      picture = gradient n
      soft = blur (blur picture)
  putStrLn ("checksum " ++ show (checksum soft))
  putStrLn ("centre   " ++ show (pixel (n `div` 2) (n `div` 2) soft))
