module Syntax where

type Name = String

data Expr
  = Var Name
  | Lit Int
  | Lam Name Expr
  | App Expr Expr
  | Let Name Expr Expr
  | If Expr Expr Expr
  deriving Show

apps :: Expr -> [Expr] -> Expr
apps = foldl App

-- | A module body: a chain of definitions around a final expression.
block :: [(Name, Expr)] -> Expr -> Expr
block defs body = foldr (uncurry Let) body defs
