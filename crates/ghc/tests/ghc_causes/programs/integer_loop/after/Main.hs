module Main (main) where

-- `n` is a machine word, as everything it meets.
digits :: Int -> Int
digits limit = go (0 :: Int) 0
  where
    go n total
      | n * n > limit = total
      | even n = go (n + 1) (total + 1)
      | otherwise = go (n + 1) total
{-# NOINLINE digits #-}

main :: IO ()
main = print (digits 4000000)
