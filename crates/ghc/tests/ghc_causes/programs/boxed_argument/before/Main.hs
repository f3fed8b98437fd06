module Main (main) where

-- `last` is needed only at the end, and only sometimes, so GHC keeps it in a box.
search :: Int -> Int -> Int -> Maybe Int
search limit best n
  | n > limit = if odd limit then Nothing else Just best
  | n * n `rem` 7 == 1 = search limit (n * 2) (n + 1)
  | otherwise = search limit best (n + 1)
{-# NOINLINE search #-}

main :: IO ()
main = print (search 2000 0 1)
