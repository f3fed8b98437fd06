module Main (main) where

import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

type Table = Map.Map Int Int

note :: Int -> Table -> Table
note key = Map.insertWith (+) key 1

tally :: Int -> Table -> Table
tally 0 table = table
tally n table = tally (n - 1) (note (n * n `rem` 101) table)

main :: IO ()
main = do
    count <- length <$> getArgs
    print (sum (Map.elems (tally (1000 + count) Map.empty)))
