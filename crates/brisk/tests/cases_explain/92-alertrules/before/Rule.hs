module Rule (Rule (..), Op (..), holds, size) where

import qualified Data.Map as Map

data Op = Lt | Gt | Eq
  deriving (Eq, Show)

data Rule
  = Test String Op Int
  | Not Rule
  | And Rule Rule
  | Or Rule Rule
  deriving (Eq, Show)

holds :: Map.Map String Int -> Rule -> Bool
holds env rule = case rule of
  Test v op k -> compareBy op (Map.findWithDefault 0 v env) k
  Not r       -> not (holds env r)
  And a b     -> holds env a && holds env b
  Or a b      -> holds env a || holds env b

compareBy :: Op -> Int -> Int -> Bool
compareBy Lt = (<)
compareBy Gt = (>)
compareBy Eq = (==)

size :: Rule -> Int
size rule = case rule of
  Test {} -> 1
  Not r   -> 1 + size r
  And a b -> 1 + size a + size b
  Or a b  -> 1 + size a + size b
