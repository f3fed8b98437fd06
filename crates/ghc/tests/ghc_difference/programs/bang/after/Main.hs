{-# LANGUAGE BangPatterns #-}
module Main (main) where

import System.Environment (getArgs)

tally :: Int -> Int -> Int -> Int
tally 0 _ seen = seen
tally n !highest seen
    | n `rem` 1000 == 0 = tally (n - 1) 0 (seen + highest)
    | otherwise = tally (n - 1) (highest + n `rem` 7) seen

main :: IO ()
main = do
    count <- length <$> getArgs
    print (tally (10999 + count) 0 0)
