{-# LANGUAGE OverloadedStrings #-}
module Eval (Sexp(..), parseAll, eval) where

import qualified Data.Map.Strict as Map
import Data.Text (Text)

import Lexer

data Sexp = Num !Int | Sym !Text | List [Sexp]
  deriving Show

parseAll :: [Token] -> [Sexp]
parseAll [] = []
parseAll ts = let (s, rest) = sexp ts in s : parseAll rest

sexp :: [Token] -> (Sexp, [Token])
sexp (Literal n : ts) = (Num n, ts)
sexp (Atom a : ts) = (Sym a, ts)
sexp (Open : ts) = items [] ts
sexp _ = error "unexpected end or bracket"

items :: [Sexp] -> [Token] -> (Sexp, [Token])
items acc (Close : ts) = (List (reverse acc), ts)
items acc ts = let (s, rest) = sexp ts in items (s : acc) rest

type Env = Map.Map Text Int

eval :: Env -> Sexp -> (Env, Int)
eval env (Num n) = (env, n)
eval env (Sym a) = (env, Map.findWithDefault 0 a env)
eval env (List [Sym "define", Sym a, e]) =
  let v = value env e in v `seq` (Map.insert a v env, v)
eval env (List (Sym "+" : es)) = (env, sum (map (value env) es))
eval env (List (Sym "*" : es)) = (env, product (map (value env) es) `mod` 65537)
eval env (List [Sym "if", c, a, b]) = eval env (if value env c /= 0 then a else b)
eval _ e = error ("cannot evaluate " ++ show e)

value :: Env -> Sexp -> Int
value env = snd . eval env
