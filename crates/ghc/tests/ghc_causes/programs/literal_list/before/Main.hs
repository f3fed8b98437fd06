module Main (main) where

import Encoding

data Point = Point { a, b, c, d :: !Int }

encode :: Point -> Text
encode p =
  between (text ",")
    [ text "a:" . shows (a p), text "b:" . shows (b p)
    , text "c:" . shows (c p), text "d:" . shows (d p) ]
{-# NOINLINE encode #-}

main :: IO ()
main = print (sum [length (encode (Point n n n n) "") | n <- [1 .. 500]])
