module CodeGen (assemble) where

import Control.Monad.Writer.Strict

import Syntax

type Asm = Writer [Instr]

emit :: Instr -> Asm ()
emit i = tell [i]

-- | Post-order: operands first, then the operator.  The result says how much
-- stack the code needs.
compile :: Expr -> Asm Int
compile (Lit n) = emit (Push n) >> return 1
compile (Var v) = emit (Load v) >> return 1
compile (Bin op l r) = do
  dl <- compile l
  dr <- compile r
  emit (Apply op)
  return (max dl (dr + 1))

assemble :: Expr -> (Int, [Instr])
assemble = runWriter . compile
