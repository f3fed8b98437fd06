module Table (table) where

table :: Int -> Int -> Int -> Int
table n a b = case digits n of
  0 -> a + 2 * b
  1 -> a - b * n
  _ -> a

digits :: Int -> Int
digits n = length (show n) - 1
{-# NOINLINE digits #-}
{-# NOINLINE table #-}
