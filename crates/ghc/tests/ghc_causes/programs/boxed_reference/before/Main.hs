module Main (main) where

import Control.Monad.ST (runST)
import Data.STRef (modifySTRef', newSTRef, readSTRef)

collatz :: Int -> Int
collatz start = runST $ do
  steps <- newSTRef 0
  let go n
        | n == 1 = readSTRef steps
        | otherwise = do
            modifySTRef' steps (+ n)
            go (if even n then n `div` 2 else 3 * n + 1)
  go start
{-# NOINLINE collatz #-}

main :: IO ()
main = print (maximum (map collatz [1 .. 2000]))
