module Expr (Expr (..), sample) where

data Expr
  = Lit Int
  | Var Int
  | Add Expr Expr
  | Sub Expr Expr
  | Mul Expr Expr

-- | A long sum as a parser of left-associative operators returns it.
sample :: Int -> Expr
sample n = go n
  where
    go 0 = Lit 1
    go k
      | k `mod` 3 == 0 = Sub (go (k - 1)) (Var (k `mod` 5))
      | k `mod` 7 == 0 = Add (go (k - 1)) (Mul (Lit k) (Lit 3))
      | otherwise = Add (go (k - 1)) (Lit k)
