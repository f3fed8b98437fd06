module Render (script) where

import Term

script :: [Command] -> String
script = unlines . map command

command :: Command -> String
command (Declare name s) = "(declare-const " ++ name ++ " " ++ sort s ++ ")"
command (Assert t)       = "(assert " ++ term t ++ ")"
command CheckSat         = "(check-sat)"

sort :: Sort -> String
sort IntSort  = "Int"
sort BoolSort = "Bool"

term :: Term -> String
term (Const name) = name
term (Lit n)
  | n < 0         = "(- " ++ show (negate n) ++ ")"
  | otherwise     = show n
term (App op a b) = binary (symbol op) a b
term (Not t)      = "(not " ++ term t ++ ")"
term (Ite c a b)  = "(ite " ++ term c ++ " " ++ term a ++ " " ++ term b ++ ")"

-- Infix is easier on the eye in the debug dump; the solver's front end takes it too.
binary :: String -> Term -> Term -> String
binary sym a b = term a ++ " " ++ sym ++ " " ++ operand b

operand :: Term -> String
operand t@App{} = "(" ++ term t ++ ")"
operand t       = term t

symbol :: Op -> String
symbol op = case op of
  And   -> "and"
  Or    -> "or"
  Plus  -> "+"
  Minus -> "-"
  Less  -> "<"
  Equal -> "="
