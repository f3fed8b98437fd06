{-# LANGUAGE BangPatterns #-}
module Main (main) where

search :: Int -> Int -> Int -> Maybe Int
search limit !best n
  | n > limit = if odd limit then Nothing else Just best
  | n * n `rem` 7 == 1 = search limit (n * 2) (n + 1)
  | otherwise = search limit best (n + 1)
{-# NOINLINE search #-}

main :: IO ()
main = print (search 2000 0 1)
