module Main (main) where

import Data.Array.IO

add :: IOArray Int Int -> Int -> Int -> IO ()
add table at n = do
  old <- readArray table at
  writeArray table at $! old + n
{-# NOINLINE add #-}

spread :: IOArray Int Int -> Int -> IO ()
spread _ 0 = return ()
spread table n = add table (n * 7919 `rem` 65536) n >> spread table (n - 1)

main :: IO ()
main = do
  table <- newArray (0, 65535) 0
  spread table 400000
  getElems table >>= print . sum
