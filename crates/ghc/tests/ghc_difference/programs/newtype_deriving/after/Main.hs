module Main (main) where

import App (execute)
import System.Environment (getArgs)

main :: IO ()
main = do
    count <- length <$> getArgs
    print (execute (1000 + count))
