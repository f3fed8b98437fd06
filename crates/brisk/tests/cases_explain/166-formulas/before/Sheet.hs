module Sheet where

import qualified Data.Set as Set
import Formula

formulas :: Int -> [String]
formulas n = [pattern i (i * 37 + 11) | i <- [1 .. n]]
  where
    pattern i s = case i `mod` 5 of
      0 -> "=SUM(A" ++ show i ++ ", B" ++ show (s `mod` 90) ++ ") * 2"
      1 -> "=(A1 + " ++ show (s `mod` 13) ++ ") * (B" ++ show i ++ " - 1)"
      2 -> "=IF((A" ++ show i ++ " > 10), MAX(B1, (C2)), " ++ show s ++ ")"
      3 -> "=((C" ++ show i ++ " / " ++ show (1 + s `mod` 7) ++ "))"
      _ -> "=A1 + B2 * C3 - " ++ show s

eval :: (Char -> Int -> Int) -> Expr -> Int
eval cell expr = case expr of
  Num n      -> n
  Cell c r   -> cell c r
  Call f xs  -> call f (map (eval cell) xs)
  Bin o l r  -> operator o (eval cell l) (eval cell r)

call :: String -> [Int] -> Int
call "SUM" xs       = sum xs
call "MAX" xs       = maximum xs
call "IF" [c, t, e] = if c /= 0 then t else e
call _ _            = 0

operator :: Char -> Int -> Int -> Int
operator '+' a b = a + b
operator '-' a b = a - b
operator '*' a b = a * b
operator '/' a b = if b == 0 then 0 else a `div` b
operator '<' a b = fromEnum (a < b)
operator '>' a b = fromEnum (a > b)
operator _   a b = fromEnum (a == b)

references :: Expr -> Set.Set (Char, Int)
references (Num _)     = Set.empty
references (Cell c r)  = Set.singleton (c, r)
references (Call _ xs) = Set.unions (map references xs)
references (Bin _ l r) = Set.union (references l) (references r)
