module Main (main) where

import Env
import Syntax
import System.Environment (getArgs)

eval :: Env -> Expr -> Int
eval _ (Lit k) = k
eval env (Var x) = find x env
eval env (Plus a b) = eval env a + eval env b
eval env (Minus a b) = eval env a - eval env b
eval env (Times a b) = eval env a * eval env b `mod` 1000003

exec :: Env -> Stmt -> Env
exec env s = case s of
  Assign x e -> let v = eval env e in v `seq` bind x v env
  Block ss -> foldl exec env ss
  While e body
    | eval env e /= 0 -> exec (exec env body) s
    | otherwise -> env

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 3500
      env = exec emptyEnv (example n)
  putStrLn ("sum     " ++ show (find "sum" env))
  putStrLn ("product " ++ show (find "product" env))
