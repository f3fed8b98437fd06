-- | Finding what a module imports, and whether it fits.
module Wasm.Link
  ( resolve
  , matches
  , InstantiationError (..)
  , describeInstantiationError
  , showName
  ) where

import Data.Array (listArray, (!))
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C

import Wasm.Syntax
import Wasm.Trap

-- | Why a valid module has no instance.
data InstantiationError
  = Unlinkable String
  | StartTrapped Trap

describeInstantiationError :: InstantiationError -> String
describeInstantiationError e = case e of
  Unlinkable why -> why
  StartTrapped t -> "the start function trapped: " ++ describeTrap t

-- | Everything imported, in order. What is offered comes with its type.
resolve :: Monad m => (Name -> Name -> m (Maybe (ExternType, a))) -> Module -> m (Either InstantiationError [a])
resolve offered m = go (modImports m)
  where
    types = listArray (0, length (modTypes m) - 1) (modTypes m)
    go [] = pure (Right [])
    go (Import from name desc : rest) = do
      found <- offered from name
      let wanted = case desc of
            ImportFunc t -> ExternFunc (types ! t)
            ImportTable l -> ExternTable l
            ImportMemory l -> ExternMemory l
            ImportGlobal t -> ExternGlobal t
          what = showName from ++ "." ++ showName name
      case found of
        Nothing -> pure (Left (Unlinkable ("unknown import " ++ what ++ ": nobody provides this " ++ show wanted)))
        Just (t, x)
          | t `matches` wanted -> fmap (x :) <$> go rest
          | otherwise -> pure (Left (Unlinkable
              ("incompatible import type of " ++ what ++ ": " ++ show t ++ " where " ++ show wanted ++ " is wanted")))

-- | Whether something of the first type may be imported as the second.
matches :: ExternType -> ExternType -> Bool
matches (ExternFunc a) (ExternFunc b) = a == b
matches (ExternGlobal a) (ExternGlobal b) = a == b
matches (ExternTable a) (ExternTable b) = withinLimits a b
matches (ExternMemory a) (ExternMemory b) = withinLimits a b
matches _ _ = False

withinLimits :: Limits -> Limits -> Bool
withinLimits (Limits low high) (Limits low' high') =
  low >= low' && maybe True (\h' -> maybe False (<= h') high) high'

-- | A name for people, in backquotes.
showName :: Name -> String
showName n
  | B.all (\b -> b >= 0x20 && b < 0x7f && b /= 0x60) n = "`" ++ C.unpack n ++ "`"
  | otherwise = show n
