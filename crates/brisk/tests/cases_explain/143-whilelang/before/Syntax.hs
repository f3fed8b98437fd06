module Syntax where

type Name = Int

data Expr
  = Lit Int
  | Var Name
  | Add Expr Expr
  | Sub Expr Expr
  | Mul Expr Expr
  | Mod Expr Expr
  | Less Expr Expr
  deriving Show

data Stmt
  = Assign Name Expr
  | While Expr [Stmt]
  | If Expr [Stmt] [Stmt]
  deriving Show
