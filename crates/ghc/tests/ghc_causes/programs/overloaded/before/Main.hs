module Main (main) where

import Data.IORef
import Walk

main :: IO ()
main = do
  cell <- newIORef 0
  walk cell 2000 >>= print
