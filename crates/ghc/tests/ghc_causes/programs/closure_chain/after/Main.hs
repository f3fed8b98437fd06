module Main (main) where

import qualified Data.IntMap.Strict as IntMap

type Env = IntMap.IntMap Int

bind :: Int -> Int -> Env -> Env
bind = IntMap.insert
{-# NOINLINE bind #-}

find :: Int -> Env -> Int
find x env = IntMap.findWithDefault x x env
{-# NOINLINE find #-}

run :: Int -> Env -> Int
run 0 env = find 0 env
run n env = value `seq` run (n - 1) (bind (n `mod` 50) value env)
  where
    value = find (n * 7 `mod` 50) env + 1
{-# NOINLINE run #-}

main :: IO ()
main = print (run 20000 IntMap.empty)
