{-# LANGUAGE ExistentialQuantification #-}
module Main (main) where

class Gate g where
  open :: g -> Int -> Int
  next :: g -> Int -> g

newtype Add = Add Int
newtype Flip = Flip Int

instance Gate Add where
  open (Add n) x = x + n
  next (Add n) x = Add (n + x `mod` 3)

instance Gate Flip where
  open (Flip n) x = n - x
  next (Flip n) x = Flip (n + x `mod` 5)

data Any = forall g. Gate g => Any g

walk :: Int -> Int -> [Any] -> Int
walk 0 x _ = x
walk n x gates = case gates of
  Any g : rest -> walk (n - 1) (open g x `mod` 1000) (rest ++ [Any (next g x)])
  [] -> x
{-# NOINLINE walk #-}

main :: IO ()
main = print (walk 60000 1 [Any (Add 3), Any (Flip 70), Any (Add 5)])
