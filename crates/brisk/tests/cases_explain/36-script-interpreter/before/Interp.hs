{-# LANGUAGE FlexibleContexts #-}
module Interp
  ( Env(..)
  , ScriptError(..)
  , emptyEnv
  , block
  ) where

import Control.Monad.Except
import Control.Monad.State.Strict
import qualified Data.Map.Strict as M

import Script

data Env = Env
  { vars   :: !(M.Map String Int)
  , fuel   :: !Int
  , output :: [Int]
  }

data ScriptError
  = Unbound String
  | DivideByZero
  | OutOfFuel
  deriving (Eq, Show)

emptyEnv :: Int -> Env
emptyEnv limit = Env M.empty limit []

eval :: (MonadState Env m, MonadError ScriptError m) => Expr -> m Int
eval e = case e of
  Num n   -> return n
  Ref v   -> do
    known <- gets vars
    maybe (throwError (Unbound v)) return (M.lookup v known)
  a :+: b -> binary (+) a b
  a :-: b -> binary (-) a b
  a :*: b -> binary (*) a b
  Mod a b -> do
    x <- eval a
    y <- eval b
    when (y == 0) $ throwError DivideByZero
    return $! x `mod` y
  where
    binary op a b = do
      x <- eval a
      y <- eval b
      return $! op x y

burn :: (MonadState Env m, MonadError ScriptError m) => m ()
burn = do
  env <- get
  if fuel env <= 0
    then throwError OutOfFuel
    else put env { fuel = fuel env - 1 }

exec :: (MonadState Env m, MonadError ScriptError m) => Stmt -> m ()
exec stmt = burn >> case stmt of
  v := e -> do
    x <- eval e
    modify' $ \env -> env { vars = M.insert v x (vars env) }
  loop@(While c body) -> do
    go <- eval c
    when (go /= 0) $ block body >> exec loop
  If c yes no -> do
    t <- eval c
    block (if t /= 0 then yes else no)
  Print e -> do
    x <- eval e
    modify' $ \env -> env { output = x : output env }

block :: (MonadState Env m, MonadError ScriptError m) => [Stmt] -> m ()
block = mapM_ exec
