-- | Which types have an encoding. Those of records are derived, see "Derive.Splice"
-- and "Derive.Generically".
module Json.Encode (Encode (..)) where

import Data.Text (Text)

import Json.Encoding

class Encode a where
  encoding :: a -> Encoding

  -- | A list of them, as strings are lists.
  encodingList :: [a] -> Encoding
  encodingList = list encoding

instance Encode Bool where encoding = bool

instance Encode Int where
  encoding = int
  {-# INLINE encoding #-}

instance Encode Integer where encoding = integer

instance Encode Double where encoding = double

instance Encode Text where encoding = text

instance Encode Char where
  encoding = string . pure
  encodingList = string

instance Encode a => Encode [a] where
  encoding = encodingList
  {-# INLINE encoding #-}

instance Encode a => Encode (Maybe a) where
  encoding = maybe null_ encoding
  {-# INLINE encoding #-}
