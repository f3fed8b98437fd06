module Scope (freeVars, unused) where

import Data.Set (Set)
import qualified Data.Set as Set
import Syntax

-- | The names that an expression takes from its surroundings.
freeVars :: Expr -> Set Name
freeVars (Var x)     = Set.singleton x
freeVars (Lit _)     = Set.empty
freeVars (Lam x e)   = Set.delete x (freeVars e)
freeVars (App f a)   = freeVars f `Set.union` freeVars a
freeVars (Let x r b) = freeVars r `Set.union` Set.delete x (freeVars b)
freeVars (If c t e)  = freeVars c `Set.union` freeVars t `Set.union` freeVars e

-- | Parameters that a function's body never mentions.
unused :: Expr -> [Name]
unused (Lam x e)
  | x `Set.member` freeVars e = unused e
  | otherwise                 = x : unused e
unused (App f a)   = unused f ++ unused a
unused (Let _ r b) = unused r ++ unused b
unused (If c t e)  = unused c ++ unused t ++ unused e
unused _           = []
