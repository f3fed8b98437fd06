module Filter where

data Filter
  = Field String Op Int
  | Not Filter
  | And Filter Filter
  | Or Filter Filter
  deriving Show

data Op = Lt | Gt | Eq
  deriving (Eq, Show)

matches :: (String -> Int) -> Filter -> Bool
matches env f = case f of
  Field name op n -> compareBy op (env name) n
  Not g           -> not (matches env g)
  And a b         -> matches env a && matches env b
  Or a b          -> matches env a || matches env b
  where
    compareBy Lt = (<)
    compareBy Gt = (>)
    compareBy Eq = (==)

size :: Filter -> Int
size (Field _ _ _) = 1
size (Not f)       = 1 + size f
size (And a b)     = 1 + size a + size b
size (Or a b)      = 1 + size a + size b
