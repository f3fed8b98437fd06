module Emit (Expr (..), Instr (..), translate) where

import Control.Monad.Trans.Writer.Strict
import Data.Monoid (Endo (..))

data Expr
  = Lit Int
  | Var Int
  | Expr :+: Expr
  | Expr :-: Expr
  | IfZero Expr Expr Expr

data Instr = PushI Int | PushV Int | AddI | SubI | Test | Join
  deriving (Eq, Show)

type Emitter = Writer (Endo [Instr])

emit :: Instr -> Emitter ()
emit i = tell (Endo (i :))

gen :: Expr -> Emitter ()
gen (Lit k)   = emit (PushI k)
gen (Var v)   = emit (PushV v)
gen (a :+: b) = gen a >> gen b >> emit AddI
gen (a :-: b) = gen a >> gen b >> emit SubI
gen (IfZero c t e) = do
  gen c
  emit Test
  gen t
  gen e
  emit Join

translate :: Expr -> [Instr]
translate e = execWriter (gen e) `appEndo` []
