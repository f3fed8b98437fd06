module Main (main) where

import FileTree
import System.Environment (getArgs)
import Usage

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 900000
      total = usage (exampleTree n)
  putStrLn ("files   " ++ show (files total))
  putStrLn ("bytes   " ++ show (bytes total))
