module Main (main) where

import Control.Concurrent.MVar

count :: MVar Int -> Int -> IO ()
count _ 0 = return ()
count cell n = do
  modifyMVar_ cell (\value -> return $! value + n)
  count cell (n - 1)
{-# NOINLINE count #-}

main :: IO ()
main = do
  cell <- newMVar 0
  count cell 1000
  readMVar cell >>= print
