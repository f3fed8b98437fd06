module Main (main) where

import System.Environment (getArgs)

data Tree = Leaf Int | Fork Tree Tree

build :: Int -> Tree
build 0 = Leaf 3
build n = Fork (build (n - 1)) (build (n - 1))

weigh :: Tree -> Int
weigh (Leaf n) = n
weigh (Fork left right) = weigh left + 2 * weigh right

main :: IO ()
main = do
    count <- length <$> getArgs
    print (weigh (build (10 + count)))
