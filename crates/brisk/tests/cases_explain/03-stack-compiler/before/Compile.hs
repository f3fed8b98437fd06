module Compile (compile) where

import Control.Monad.Writer.Strict
import Expr
import Machine (Instr (..))

type Emit = Writer [Instr]

emit :: Instr -> Emit ()
emit i = tell [i]

compile :: Expr -> [Instr]
compile e = execWriter (expr e)

expr :: Expr -> Emit ()
expr (Lit k) = emit (Push k)
expr (Var v) = emit (Load v)
expr (Add a b) = binary a b IAdd
expr (Sub a b) = binary a b ISub
expr (Mul a b) = binary a b IMul

binary :: Expr -> Expr -> Instr -> Emit ()
binary a b op = do
  expr a
  expr b
  emit op
