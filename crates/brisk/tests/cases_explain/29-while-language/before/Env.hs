module Env
  ( Env
  , emptyEnv
  , bind
  , find
  ) where

-- | Variables as the function from a name to its value.
newtype Env = Env (String -> Int)

emptyEnv :: Env
emptyEnv = Env (\x -> error ("unbound variable: " ++ x))

bind :: String -> Int -> Env -> Env
bind x v (Env look) = Env (\y -> if y == x then v else look y)

find :: String -> Env -> Int
find x (Env look) = look x
