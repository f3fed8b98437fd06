module Interp (Config(..), Store, Interp, eval, exec, execAll) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import qualified Data.IntMap.Strict as M
import Syntax

newtype Config = Config { wordSize :: Int }

type Store = M.IntMap Int

type Interp = ReaderT Config (StateT Store (Either String))

wrap :: Int -> Interp Int
wrap n = do
  w <- asks wordSize
  return (n `mod` w)

eval :: Expr -> Interp Int
eval (Lit n) = return n
eval (Var x) = do
  s <- get
  case M.lookup x s of
    Nothing -> throwError ("unbound variable " ++ show x)
    Just v  -> return v
eval (Add a b) = do { x <- eval a; y <- eval b; wrap (x + y) }
eval (Sub a b) = do { x <- eval a; y <- eval b; wrap (x - y) }
eval (Mul a b) = do { x <- eval a; y <- eval b; wrap (x * y) }
eval (Mod a b) = do
  x <- eval a
  y <- eval b
  if y == 0 then throwError "division by zero" else return (x `mod` y)
eval (Less a b) = do
  x <- eval a
  y <- eval b
  return (if x < y then 1 else 0)

exec :: Stmt -> Interp ()
exec (Assign x e) = do
  v <- eval e
  modify' (M.insert x v)
exec loop@(While c body) = do
  v <- eval c
  when (v /= 0) $ execAll body >> exec loop
exec (If c t e) = do
  v <- eval c
  execAll (if v /= 0 then t else e)

execAll :: [Stmt] -> Interp ()
execAll = mapM_ exec
