module Main (main) where

import Data.IORef

count :: IORef Int -> Int -> IO ()
count _ 0 = return ()
count cell n = modifyIORef' cell (+ n) >> count cell (n - 1)
{-# NOINLINE count #-}

main :: IO ()
main = do
  cell <- newIORef 0
  count cell 3000000
  readIORef cell >>= print
