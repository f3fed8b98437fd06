module Main (main) where

triangle :: Int -> Int -> Int
triangle total 0 = total
triangle total n = triangle (total + n) (n - 1)

average :: Int -> Int
average n = triangle 0 n `div` n
{-# NOINLINE average #-}

main :: IO ()
main = print (average 2000)
