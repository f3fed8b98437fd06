module Main (main) where

import Data.IORef
import Guard

count :: IORef Int -> Int -> IO ()
count _ 0 = return ()
count cell n = do
  guarded cell (\value -> return (value + n))
  count cell (n - 1)

main :: IO ()
main = do
  cell <- newIORef 0
  count cell 2000
  readIORef cell >>= print
