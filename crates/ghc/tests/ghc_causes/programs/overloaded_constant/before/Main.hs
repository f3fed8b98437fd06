module Main (main) where

squares :: Integral a => [a]
squares = go 1
  where
    go n
      | n > 200 = []
      | otherwise = n * n `mod` 97 : go (n + 1)
{-# NOINLINE squares #-}

has :: Integral a => a -> Bool
has n = any (== n `mod` 300) squares
{-# NOINLINE has #-}

main :: IO ()
main = print (length (filter has [1 .. 3000 :: Int]))
