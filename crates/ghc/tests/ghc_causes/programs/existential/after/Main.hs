module Main (main) where

data Gate = Add !Int | Flip !Int

open :: Gate -> Int -> Int
open (Add n) x = x + n
open (Flip n) x = n - x

next :: Gate -> Int -> Gate
next (Add n) x = Add (n + x `mod` 3)
next (Flip n) x = Flip (n + x `mod` 5)

walk :: Int -> Int -> [Gate] -> Int
walk 0 x _ = x
walk n x gates = case gates of
  g : rest -> walk (n - 1) (open g x `mod` 1000) (rest ++ [next g x])
  [] -> x
{-# NOINLINE walk #-}

main :: IO ()
main = print (walk 60000 1 [Add 3, Flip 70, Add 5])
