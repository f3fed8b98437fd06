{-# LANGUAGE MagicHash #-}

-- | JSON as bytes to come: what encoders, derived or not, put together.
--
-- An object is made in one of three ways, and which of them a derivation takes
-- is what this case is about: from a list ('commaSep', 'commaSepFolded'), from
-- pairs that are joined one by one ('pair'), or from text that was escaped
-- before the program ran ('written').
--
-- The bytes are those of aeson 2.0.3 with its default options.
module Json.Encoding
  ( Encoding
  , toBytes
  , (><)
    -- * Objects
  , wrapObject
  , comma
  , colon
  , commaSep
  , commaSepFolded
  , Separated
  , pair
  , fromPairs
  , written
    -- * Values
  , null_
  , bool
  , int
  , integer
  , double
  , list
  , string
  , text
  ) where

import Data.ByteString.Builder
  ( Builder, byteString, char7, doubleDec, intDec, integerDec, string7, toLazyByteString )
import Data.ByteString.Builder.Prim
  ( BoundedPrim, charUtf8, condB, liftFixedToBounded, primMapListBounded, word16HexFixed, word8
  , (>$<), (>*<) )
import qualified Data.ByteString.Builder.Prim as Prim
import qualified Data.ByteString.Lazy as Lazy
import Data.ByteString.Unsafe (unsafePackAddressLen)
import Data.Char (ord)
import Data.Text (Text)
import Data.Text.Encoding (encodeUtf8BuilderEscaped)
import Data.Word (Word8)
import GHC.Exts (Addr#)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | A piece of JSON, not always a whole value.
newtype Encoding = Encoding Builder

-- | The bytes. bytestring keeps its function from being inlined, on purpose: it
-- is large, and called once for each value.
toBytes :: Encoding -> Lazy.ByteString
toBytes (Encoding builder) = toLazyByteString builder
{-# INLINE toBytes #-}

-- | One after the other.
(><) :: Encoding -> Encoding -> Encoding
Encoding before >< Encoding after = Encoding (before <> after)
infixr 6 ><
{-# INLINE (><) #-}

empty, comma, colon, null_ :: Encoding
empty = Encoding mempty
comma = character ','
colon = character ':'
null_ = Encoding (string7 "null")
{-# INLINE empty #-}
{-# INLINE comma #-}
{-# INLINE colon #-}

character :: Char -> Encoding
character = Encoding . char7
{-# INLINE character #-}

wrapObject :: Encoding -> Encoding
wrapObject inside = character '{' >< inside >< character '}'
{-# INLINE wrapObject #-}

-- | The pieces with commas between them, as in the founding document.
commaSep :: [Encoding] -> Encoding
commaSep [] = empty
commaSep [piece] = piece
commaSep (piece : pieces) = piece >< comma >< commaSep pieces

-- | The same, without recursion of its own: GHC's rules know how to do @foldr@
-- for a list that is written out.
commaSepFolded :: [Encoding] -> Encoding
commaSepFolded pieces = joined (foldr (\piece rest -> Some piece <> rest) None pieces)
{-# INLINE commaSepFolded #-}

-- | Pieces with commas between them, or none.
data Separated = None | Some Encoding

instance Semigroup Separated where
  None <> after = after
  before <> None = before
  Some before <> Some after = Some (before >< comma >< after)
  {-# INLINE (<>) #-}

joined :: Separated -> Encoding
joined None = empty
joined (Some pieces) = pieces
{-# INLINE joined #-}

-- | A member of an object.
pair :: String -> Encoding -> Separated
pair key value = Some (string key >< colon >< value)
{-# INLINE pair #-}

fromPairs :: Separated -> Encoding
fromPairs = wrapObject . joined
{-# INLINE fromPairs #-}

-- | So many bytes of the program's own constants that are JSON already.
written :: Int -> Addr# -> Encoding
written size address = Encoding (byteString (unsafeDupablePerformIO (unsafePackAddressLen size address)))
{-# INLINE written #-}

bool :: Bool -> Encoding
bool True = Encoding (string7 "true")
bool False = Encoding (string7 "false")

int :: Int -> Encoding
int = Encoding . intDec
{-# INLINE int #-}

integer :: Integer -> Encoding
integer = Encoding . integerDec

-- | JSON has no infinite numbers; aeson writes strings for them.
double :: Double -> Encoding
double x
  | isNaN x = null_
  | isInfinite x = quoted (Encoding (string7 (if x > 0 then "+inf" else "-inf")))
  | otherwise = Encoding (doubleDec x)

list :: (a -> Encoding) -> [a] -> Encoding
list each values = character '[' >< commaSep (map each values) >< character ']'

quoted :: Encoding -> Encoding
quoted inside = character '"' >< inside >< character '"'
{-# INLINE quoted #-}

string :: String -> Encoding
string = quoted . Encoding . primMapListBounded escapedChar
  where
    escapedChar = condB (> '\x7f') charUtf8 (fromIntegral . ord >$< escaped)

text :: Text -> Encoding
text = quoted . Encoding . encodeUtf8BuilderEscaped escaped

-- | A byte of ASCII within a string.
escaped :: BoundedPrim Word8
escaped =
  condB (== 0x22) (backslash '"') $
  condB (== 0x5c) (backslash '\\') $
  condB (>= 0x20) (liftFixedToBounded word8) $
  condB (== 0x0a) (backslash 'n') $
  condB (== 0x0d) (backslash 'r') $
  condB (== 0x09) (backslash 't') hexadecimal
  where
    backslash symbol =
      const ('\\', symbol) >$< liftFixedToBounded (Prim.char7 >*< Prim.char7)
    hexadecimal =
      (\byte -> ('\\', ('u', fromIntegral byte)))
        >$< liftFixedToBounded (Prim.char7 >*< Prim.char7 >*< word16HexFixed)
{-# INLINE escaped #-}
