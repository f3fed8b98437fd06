module Main (main) where

import Grid (digest)
import System.Environment (getArgs)

main :: IO ()
main = do
    count <- length <$> getArgs
    print (digest (3 * count + 1000) (7 :: Int))
