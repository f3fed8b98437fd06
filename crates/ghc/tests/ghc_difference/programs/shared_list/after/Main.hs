module Main (main) where

import System.Environment (getArgs)

spread :: Int -> Int
spread n = sum numbers - n
  where
    numbers = [k * k `rem` 17 | k <- [1 .. n], odd k]
{-# NOINLINE spread #-}

main :: IO ()
main = do
    count <- length <$> getArgs
    print (spread (2000 + count))
