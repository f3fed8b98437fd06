module Render (script) where

import Term

script :: [Command] -> String
script = unlines . map command

command :: Command -> String
command (Declare name s) = "(declare-const " ++ name ++ " " ++ sort s ++ ")"
command (Assert t)       = "(assert " ++ term t ")"
command CheckSat         = "(check-sat)"

sort :: Sort -> String
sort IntSort  = "Int"
sort BoolSort = "Bool"

term :: Term -> ShowS
term (Const name) = showString name
term (Lit n)
  | n < 0         = showString "(- " . shows (negate n) . showString ")"
  | otherwise     = shows n
term (App op a b) = binary (symbol op) a b
term (Not t)      = showString "(not " . term t . showString ")"
term (Ite c a b)  =
  showString "(ite " . term c . showString " " . term a . showString " " . term b . showString ")"

-- Infix is easier on the eye in the debug dump; the solver's front end takes it too.
binary :: String -> Term -> Term -> ShowS
binary sym a b = term a . showString " " . showString sym . showString " " . operand b

operand :: Term -> ShowS
operand t@App{} = showString "(" . term t . showString ")"
operand t       = term t

symbol :: Op -> String
symbol op = case op of
  And   -> "and"
  Or    -> "or"
  Plus  -> "+"
  Minus -> "-"
  Less  -> "<"
  Equal -> "="
