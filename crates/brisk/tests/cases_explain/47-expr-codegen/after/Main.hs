module Main where

import Data.List (foldl', foldl1')
import Gen
import System.Environment (getArgs)

data Expr
  = Num Int
  | Local Int
  | Expr :+: Expr
  | Expr :*: Expr
  | Cond Expr Expr Expr

infixl 6 :+:
infixl 7 :*:

data Op = Const Int | Get Int | AddI | MulI | BrZero Int | Br Int | Label Int

compile :: Expr -> Gen Op ()
compile e = case e of
  Num n -> emit (Const n)
  Local v -> emit (Get v)
  a :+: b -> do
    compile a
    compile b
    emit AddI
  a :*: b -> do
    compile a
    compile b
    emit MulI
  Cond c t f -> do
    orElse <- freshLabel
    end <- freshLabel
    compile c
    emit (BrZero orElse)
    compile t
    emit (Br end)
    emit (Label orElse)
    compile f
    emit (Label end)

-- | What a parser makes of "t1 + t2 + t3 ...".
polynomial :: Int -> Expr
polynomial n = foldl1' (:+:) (map term [1 .. n])
  where
    term i
      | i `mod` 10 == 0 = Cond (Local (i `mod` 4)) (Num i) (Num (negate i))
      | otherwise       = Num i :*: Local (i `mod` 4)

encode :: Op -> Int
encode op = case op of
  Const n  -> 1 + 8 * n
  Get v    -> 2 + 8 * v
  AddI     -> 3
  MulI     -> 4
  BrZero l -> 5 + 8 * l
  Br l     -> 6 + 8 * l
  Label l  -> 7 + 8 * l

digest :: [Op] -> Int
digest = foldl' (\h op -> (h * 131 + encode op) `mod` 998244353) 0

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (s : _) -> read s
        []      -> 5500
      code = runGen (compile (polynomial n))
  putStrLn ("instructions " ++ show (length code))
  putStrLn ("digest       " ++ show (digest code))
