module Main (main) where

import System.Environment (getArgs)
import Requests
import Stats

main :: IO ()
main = do
  [arg] <- getArgs
  let stats = collect (requests (read arg))
  putStrLn ("hits     " ++ show (hits stats))
  putStrLn ("bytes    " ++ show (bytesSent stats))
  putStrLn ("failures " ++ show (failures stats))
  putStrLn ("slowest  " ++ show (slowest stats))
