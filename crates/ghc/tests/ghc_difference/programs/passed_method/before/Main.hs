{-# LANGUAGE RankNTypes #-}
module Main (main) where

import System.Environment (getArgs)

sumWith :: (forall a. Integral a => a -> a) -> Int -> Int -> Int
sumWith _ 0 total = total
sumWith f n total = sumWith f (n - 1) (total + f n)
{-# NOINLINE sumWith #-}

main :: IO ()
main = do
    count <- length <$> getArgs
    print (sumWith (\it -> it `rem` 10 + 1) (1000 + count) 0)
