module Main (main) where

import System.Environment (getArgs)

bill :: [Int] -> Int
bill = foldl charge 0
  where
    charge total item = if item > 1999 then 0 else total + item

main :: IO ()
main = do
    count <- length <$> getArgs
    print (bill [1 .. 1998 + count])
