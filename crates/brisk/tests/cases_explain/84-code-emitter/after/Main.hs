module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

import Emit

-- A long sum as a parser of left-associative operators would give it.
longSum :: Int -> Expr
longSum n = foldl' grow (Lit 0) [1 .. n]
  where
    grow acc i
      | i `mod` 11 == 0 = acc :+: IfZero (Var (i `mod` 8)) (Lit i) (Var 1)
      | even i          = acc :+: Var (i `mod` 8)
      | otherwise       = acc :-: Lit i

run :: [Instr] -> [Int] -> [Int]
run code st0 = foldl' step st0 code
  where
    step st (PushI k) = k : st
    step st (PushV v) = v * v : st
    step (y : x : st) AddI = let z = x + y in z `seq` z : st
    step (y : x : st) SubI = let z = x - y in z `seq` z : st
    step st Test = st
    step (e : t : c : st) Join = (if c == 0 then t else e) : st
    step _ i = error ("stack too small for " ++ show i)

main :: IO ()
main = do
  args <- getArgs
  let n    = maybe 6500 read (safeHead args)
      code = translate (longSum n)
  putStrLn ("instructions: " ++ show (length code))
  putStrLn ("joins:        " ++ show (length (filter (== Join) code)))
  putStrLn ("result:       " ++ show (run code []))
  where
    safeHead []      = Nothing
    safeHead (x : _) = Just x
