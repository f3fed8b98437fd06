module Main (main) where

import Control.Monad
import System.Environment (getArgs)
import Bank

month :: Bank -> Int -> Int -> IO Int
month bank n k = do
  done <- forM [1 .. 2 * n] $ \i ->
    transfer bank (i * 7919 `mod` n) (i * 104729 `mod` n) (i * k * 31 `mod` 9000)
  endOfMonth bank 3
  return (length (filter id done))

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
  bank <- openBank n
  forM_ [1, 2] $ \k -> do
    done  <- month bank n k
    total <- totalAssets bank
    putStrLn ("month " ++ show k ++ ": " ++ show done ++ " transfers, assets " ++ show total)
  forM_ [0, n `div` 2, n - 1] $ \i -> account bank i >>= print
