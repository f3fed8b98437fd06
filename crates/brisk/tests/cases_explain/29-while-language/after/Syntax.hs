module Syntax
  ( Expr (..)
  , Stmt (..)
  , example
  ) where

data Expr
  = Lit Int
  | Var String
  | Plus Expr Expr
  | Minus Expr Expr
  | Times Expr Expr

data Stmt
  = Assign String Expr
  | Block [Stmt]
  | While Expr Stmt

-- | Counts down and keeps a sum and a product on the way.
example :: Int -> Stmt
example n =
  Block
    [ Assign "step" (Lit 1)
    , Assign "base" (Lit 7)
    , Assign "i" (Lit n)
    , Assign "sum" (Lit 0)
    , Assign "product" (Lit 1)
    , While (Var "i") $
        Block
          [ Assign "sum" (Plus (Var "sum") (Times (Var "i") (Var "base")))
          , Assign "product" (Times (Var "product") (Plus (Var "i") (Var "base")))
          , Assign "i" (Minus (Var "i") (Var "step"))
          ]
    ]
