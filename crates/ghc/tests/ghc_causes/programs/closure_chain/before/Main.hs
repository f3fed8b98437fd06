module Main (main) where

newtype Env = Env (Int -> Int)

bind :: Int -> Int -> Env -> Env
bind x v (Env look) = Env (\y -> if y == x then v else look y)
{-# NOINLINE bind #-}

find :: Int -> Env -> Int
find x (Env look) = look x
{-# NOINLINE find #-}

run :: Int -> Env -> Int
run 0 env = find 0 env
run n env = value `seq` run (n - 1) (bind (n `mod` 50) value env)
  where
    value = find (n * 7 `mod` 50) env + 1
{-# NOINLINE run #-}

main :: IO ()
main = print (run 20000 (Env id))
