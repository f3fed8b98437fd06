module Main (main) where

import System.Environment (getArgs)
import Filter
import Mail

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
      list = blockList (reports (n `div` 12))
      kept = filter (allowed list) (inbox n)
  putStrLn ("blocked senders: " ++ show (blockedCount list))
  putStrLn ("messages kept:   " ++ show (length kept))
  mapM_ (putStrLn . describe) (take 5 kept)
