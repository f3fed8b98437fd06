module Main (main) where

import Encoding

data Point = Point { a, b, c, d :: !Int }

encode :: Point -> Text
encode p =
  text "a:" . shows (a p) . text "," . text "b:" . shows (b p)
    . text "," . text "c:" . shows (c p) . text "," . text "d:" . shows (d p)
{-# NOINLINE encode #-}

main :: IO ()
main = print (sum [length (encode (Point n n n n) "") | n <- [1 .. 500]])
