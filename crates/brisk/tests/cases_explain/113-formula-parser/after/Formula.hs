module Formula
  ( Formula(..)
  , evaluate
  , variables
  ) where

import qualified Data.Set as Set

data Formula
  = Number Int
  | Cell String
  | Plus Formula Formula
  | Times Formula Formula
  deriving Show

evaluate :: (String -> Int) -> Formula -> Int
evaluate env f = case f of
  Number n -> n
  Cell c -> env c
  Plus a b -> (evaluate env a + evaluate env b) `mod` 99991
  Times a b -> (evaluate env a * evaluate env b) `mod` 99991

variables :: Formula -> Set.Set String
variables f = case f of
  Number _ -> Set.empty
  Cell c -> Set.singleton c
  Plus a b -> variables a `Set.union` variables b
  Times a b -> variables a `Set.union` variables b
