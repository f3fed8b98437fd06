module Main (main) where

import Control.Concurrent.STM
import Control.Monad
import Data.Array
import System.Environment (getArgs)

import Bank

main :: IO ()
main = do
  [a] <- getArgs
  let n = read a
  bank <- openBank n
  oks <- forM [1 .. n] $ \i ->
    atomically (transfer bank i (1 + (i * 31) `mod` n) ((i * 37) `mod` 3000))
  putStrLn (show (length (filter id oks)) ++ " transfers went through")
  t0 <- total bank
  creditInterest bank 15
  t1 <- total bank
  putStrLn ("before interest " ++ show t0 ++ ", after " ++ show t1)
  b <- readTVarIO (balance (bank ! n))
  putStrLn (owner (bank ! n) ++ " has " ++ show b)
