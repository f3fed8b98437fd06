-- Builds a table of so many keys as its argument says, and prints the sum of its values.
module Main (main) where

import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

main :: IO ()
main = do
  [count] <- map read <$> getArgs
  let keys = [n * 7919 `mod` 100003 | n <- [1 .. count :: Int]]
  print (Map.foldl' (+) 0 (Map.fromListWith (+) (zip keys [1 ..])))
