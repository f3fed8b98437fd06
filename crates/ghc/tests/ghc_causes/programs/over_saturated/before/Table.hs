module Table (table) where

-- What is done is chosen first; what it is done to comes after.
table :: Int -> Int -> Int -> Int
table n = case digits n of
  0 -> \a b -> a + 2 * b
  1 -> \a b -> a - b * n
  _ -> const

digits :: Int -> Int
digits n = length (show n) - 1
{-# NOINLINE digits #-}
{-# NOINLINE table #-}
