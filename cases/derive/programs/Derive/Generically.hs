{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE MonoLocalBinds #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Encoders of records, derived by GHC's generics.
module Derive.Generically (generically) where

import Data.Kind (Type)
import GHC.Generics
import GHC.TypeLits (ErrorMessage (..), TypeError)

import Json.Encode (Encode (..))
import Json.Encoding

-- | Of a record whose fields all have an encoding.
generically :: (Generic a, Record (Rep a)) => a -> Encoding
generically = record . from
{-# INLINE generically #-}

class Record (f :: Type -> Type) where record :: f p -> Encoding

instance Fields f => Record (D1 d (C1 c f)) where
  record (M1 (M1 members)) = wrapObject (fields members)
  {-# INLINE record #-}

instance TypeError NoRecord => Record (D1 d (f :+: g)) where record _ = null_

instance TypeError NoRecord => Record (D1 d V1) where record _ = null_

type NoRecord = 'Text "no encoder is derived: the type should have one constructor, with named fields"

-- | One field or more, of which GHC makes a tree, with commas between them.
class Fields (f :: Type -> Type) where fields :: f p -> Encoding

instance (Fields f, Fields g) => Fields (f :*: g) where
  fields (before :*: after) = fields before >< comma >< fields after
  {-# INLINE fields #-}

instance (Selector ('MetaSel ('Just key) u s l), Encode a) => Fields (S1 ('MetaSel ('Just key) u s l) (K1 i a)) where
  fields member@(M1 (K1 value)) = string (selName member) >< colon >< encoding value
  {-# INLINE fields #-}

instance TypeError NoRecord => Fields (S1 ('MetaSel 'Nothing u s l) f) where fields _ = null_

instance TypeError NoRecord => Fields U1 where fields _ = null_
