module Main (main) where

-- Nothing says which type `n` has, so that it is `Integer`.
digits :: Int -> Int
digits limit = go 0 0
  where
    go n total
      | n * n > fromIntegral limit = total
      | even n = go (n + 1) (total + 1)
      | otherwise = go (n + 1) total
{-# NOINLINE digits #-}

main :: IO ()
main = print (digits 4000000)
