module Main (main) where

import Toy.Engine (run)
import System.Environment (getArgs)

main :: IO ()
main = do
    count <- length <$> getArgs
    total <- run (3000 + count) 0
    print total
