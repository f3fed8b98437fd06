module Main (main) where

import Mean (mean)
import System.Environment (getArgs)

main :: IO ()
main = do
    count <- length <$> getArgs
    print (mean 0 (2000 + count))
