-- Two sums, each computed at once.
{-# LANGUAGE BangPatterns #-}
module Main (main) where

import System.Environment (getArgs)

data Totals = Totals Int Int

walk :: Totals -> Int -> Totals
walk totals 0 = totals
walk (Totals !count !total) n = walk (Totals (count + 1) (total + n)) (n - 1)
{-# NOINLINE walk #-}

main :: IO ()
main = do
    [count] <- getArgs
    case walk (Totals 0 0) (read count) of Totals steps total -> print (steps + total)
