module Scope (freeVars, unused) where

import Data.List (delete, union)
import Syntax

-- | The names that an expression takes from its surroundings.
freeVars :: Expr -> [Name]
freeVars (Var x)     = [x]
freeVars (Lit _)     = []
freeVars (Lam x e)   = delete x (freeVars e)
freeVars (App f a)   = freeVars f `union` freeVars a
freeVars (Let x r b) = freeVars r `union` delete x (freeVars b)
freeVars (If c t e)  = freeVars c `union` freeVars t `union` freeVars e

-- | Parameters that a function's body never mentions.
unused :: Expr -> [Name]
unused (Lam x e)
  | x `elem` freeVars e = unused e
  | otherwise           = x : unused e
unused (App f a)   = unused f ++ unused a
unused (Let _ r b) = unused r ++ unused b
unused (If c t e)  = unused c ++ unused t ++ unused e
unused _           = []
