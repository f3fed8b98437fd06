module Main (main) where

import Powers

main :: IO ()
main = print (sum [powers x 50 | x <- [0.5, 0.51 .. 1.5 :: Double]])
