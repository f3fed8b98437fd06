module Main (main) where

import Data.IORef

count :: IORef Int -> Int -> IO ()
count _ 0 = return ()
count cell n = do
  atomicModifyIORef' cell (\value -> (value + n, ()))
  count cell (n - 1)
{-# NOINLINE count #-}

main :: IO ()
main = do
  cell <- newIORef 0
  count cell 1000
  readIORef cell >>= print
