module Main where

import Data.Char (ord)
import Data.List (foldl')
import qualified Data.Set as Set
import Scope
import Syntax
import System.Environment

-- | A generated module: each definition uses some primitives and an earlier one.
sample :: Int -> Expr
sample n = block (map def [1 .. n]) (Var ("def" ++ show n))
  where
    def i =
      ( "def" ++ show i
      , Lam "x" (Lam "y" (If (apps (prim (i * 7)) [Var "x", prev i])
                             (App (prim (i * 13)) (Lit i))
                             (App (prim (i + 3)) (Var (if even i then "x" else "y")))))
      )
    prim k = Var ("prim_" ++ show (k `mod` 701))
    prev i
      | i > 1     = Var ("def" ++ show (i - 1))
      | otherwise = Lit 0

checksum :: [Name] -> Int
checksum = foldl' (\h s -> h + foldl' (\a c -> (a * 31 + ord c) `mod` 1000003) 7 s) 0

main :: IO ()
main = do
  args <- getArgs
  let n = case args of { [] -> 420; (x : _) -> read x }
      prog = sample n
      free = Set.toList (freeVars prog)
  putStrLn ("imports needed: " ++ show (length free))
  putStrLn ("checksum: " ++ show (checksum free))
  putStrLn ("unused parameters: " ++ show (length (unused prog)))
