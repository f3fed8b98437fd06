module Term where

data Sort = IntSort | BoolSort
  deriving (Eq, Show)

data Op = And | Or | Plus | Minus | Less | Equal
  deriving (Eq, Show, Enum, Bounded)

data Term
  = Const String
  | Lit Int
  | App Op Term Term
  | Not Term
  | Ite Term Term Term

data Command
  = Declare String Sort
  | Assert Term
  | CheckSat

infixl 3 .&&
infixl 6 .+
infix 4 .<

(.&&), (.+), (.<) :: Term -> Term -> Term
(.&&) = App And
(.+)  = App Plus
(.<)  = App Less

sumOf, allOf :: [Term] -> Term
sumOf = foldl1 (.+)
allOf = foldl1 (.&&)
