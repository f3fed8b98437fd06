module Script where

data Expr
  = Num Int
  | Ref String
  | Expr :+: Expr
  | Expr :-: Expr
  | Expr :*: Expr
  | Expr `Mod` Expr

infixl 6 :+:, :-:
infixl 7 :*:, `Mod`

data Stmt
  = String := Expr
  | While Expr [Stmt]
  | If Expr [Stmt] [Stmt]
  | Print Expr

infix 1 :=
