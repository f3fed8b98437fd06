module Main (main) where

import Fleet
import Data.List (foldl')
import System.Environment (getArgs)

commands :: Int -> Int -> [Command]
commands fleetSize n = go n 31
  where
    go :: Int -> Int -> [Command]
    go 0 _ = []
    go k seed =
      let s = (seed * 1103515245 + 12345) `mod` 2147483648
          r = s `div` 256
       in Command (r `mod` fleetSize) (direction (r `div` 1000)) : go (k - 1) s
    direction r = toEnum (r `mod` 4)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 16000
      end = foldl' (flip obey) (park 1000) (commands 1000 n)
  putStrLn ("moved    " ++ show (moves end))
  putStrLn ("distance " ++ show (distance end))
