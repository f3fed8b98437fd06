module Syntax where

data Op = Plus | Minus | Times
  deriving (Eq, Show)

data Expr
  = Lit Int
  | Var String
  | Bin Op Expr Expr

data Instr
  = Push Int
  | Load String
  | Apply Op
  deriving (Eq, Show)
