module Main (main) where

import Mail
import Rules
import System.Environment (getArgs)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 6000
      verdicts = map (judge standard) (inbox n)
      count v = length (filter (== v) verdicts)
  putStrLn ("good   " ++ show (count Good))
  putStrLn ("unsure " ++ show (count Unsure))
  putStrLn ("spam   " ++ show (count Spam))
