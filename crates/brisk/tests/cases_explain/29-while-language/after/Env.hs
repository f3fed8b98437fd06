module Env
  ( Env
  , emptyEnv
  , bind
  , find
  ) where

import qualified Data.Map.Strict as Map

-- | Variables with their values.
newtype Env = Env (Map.Map String Int)

emptyEnv :: Env
emptyEnv = Env Map.empty

bind :: String -> Int -> Env -> Env
bind x v (Env vars) = Env (Map.insert x v vars)

find :: String -> Env -> Int
find x (Env vars) = case Map.lookup x vars of
  Just v -> v
  Nothing -> error ("unbound variable: " ++ x)
