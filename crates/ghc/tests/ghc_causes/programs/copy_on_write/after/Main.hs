module Main (main) where

import Data.Array.IO

store :: IOUArray Int Int -> Int -> Int -> IO ()
store = writeArray
{-# NOINLINE store #-}

fill :: IOUArray Int Int -> Int -> IO ()
fill _ 0 = return ()
fill memory n = store memory (n `rem` 256) n >> fill memory (n - 1)

main :: IO ()
main = do
  memory <- newArray (0, 255) 0
  fill memory 500
  getElems memory >>= print . sum
