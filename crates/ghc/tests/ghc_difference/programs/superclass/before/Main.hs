module Main (main) where

import Runs (runs)
import System.Environment (getArgs)

main :: IO ()
main = do
    count <- length <$> getArgs
    print (runs 0 0 (concat [[n, n, n `rem` 7] | n <- [1 .. 1000 + count]]))
