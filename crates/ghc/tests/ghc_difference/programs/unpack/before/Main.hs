module Main (main) where

import System.Environment (getArgs)

data Point = Point Int Int

move :: Int -> Point -> Point
move n (Point x y) = Point (x + n) (y - x)
{-# NOINLINE move #-}

path :: Int -> Point -> Point
path 0 point = point
path n point = path (n - 1) (move n point)

main :: IO ()
main = do
    count <- length <$> getArgs
    case path (1000 + count) (Point 0 count) of Point x y -> print (x + y)
