module Main (main) where

import Table

loop :: Int -> Int -> Int
loop acc 0 = acc
loop acc n = loop (table n acc n) (n - 1)

main :: IO ()
main = print (loop 0 200)
