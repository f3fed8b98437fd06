module Main (main, weigh) where

slow :: Int -> Int
slow n = if n > 100 then n - 100 else slow (n * 3 + 1)
{-# NOINLINE slow #-}

-- Gives back a function after some work. All calls here have both arguments, but GHC cannot know of
-- all calls, because others may import it.
weigh :: Int -> Int -> Int
weigh n = let w = slow n in \m -> w * m
{-# NOINLINE weigh #-}

total :: Int -> Int -> Int
total 0 acc = acc
total n acc = total (n - 1) (acc + weigh n (n + 1))

main :: IO ()
main = print (total 1000 0)
