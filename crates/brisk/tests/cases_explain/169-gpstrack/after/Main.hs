module Main (main) where

import System.Environment (getArgs)
import Text.Printf (printf)

import Track
import Units

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg :: Int
      s = summarise (recorded n)
  putStrLn ("distance  " ++ show (distance s))
  printf "climbed   %.3f m\n" (toDouble (climbed s))
  putStrLn ("top speed " ++ show (fastest s))
  printf "standing  %d of %d\n" (stops s) n
