module Main (main) where

import Data.Array
import Data.IORef

store :: IORef (Array Int Int) -> Int -> Int -> IO ()
store cell at value = do
  memory <- readIORef cell
  writeIORef cell $! memory // [(at, value)]
{-# NOINLINE store #-}

fill :: IORef (Array Int Int) -> Int -> IO ()
fill _ 0 = return ()
fill cell n = store cell (n `rem` 256) n >> fill cell (n - 1)

main :: IO ()
main = do
  cell <- newIORef (listArray (0, 255) (replicate 256 0))
  fill cell 500
  readIORef cell >>= print . sum . elems
