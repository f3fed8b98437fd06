{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -O0 -Wno-orphans #-}

-- | Records of many shapes, with encodings by this case and by aeson, and with
-- values drawn at random.
module Samples where

import Data.Aeson.TH (defaultOptions, deriveToJSON)
import Data.Text (Text)
import qualified Data.Text as Text
import GHC.Generics (Generic)
import Test.QuickCheck hiding (Large, Small)

import Derive.Generically (generically)
import Derive.Splice (listed, literal, unrolled)
import Json.Encode (Encode (..))
import Json.Encoding (commaSep)
import Record.Large (Large (..))
import Record.Small (Small (..))

-- | Something of each type that has an encoding.
data Mixed = Mixed
  { flag :: Bool
  , count :: !Int
  , huge :: Integer
  , ratio :: !Double
  , letter :: Char
  , name :: String
  , note :: Text
  , lists :: [[Maybe Int]]
  , ratios :: [Double]
  , perhaps :: Maybe (Maybe Text)
  }
  deriving (Eq, Show, Generic)

data Point = Point {x, y :: {-# UNPACK #-} !Double}
  deriving (Eq, Show, Generic)

-- | Records within records, and within themselves.
data Person = Person
  { called :: Text
  , place :: Maybe Point
  , path :: [Point]
  , parent :: Maybe Person
  , children :: [Person]
  }
  deriving (Eq, Show, Generic)

-- | Names that are not only letters.
data Names = Names
  { größe' :: Int
  , _under_score :: Int
  , (<+>) :: Int
  , (\\) :: Int
  , переменная :: Int
  , (→) :: Int
  }
  deriving (Eq, Show, Generic)

data Single = Single {only :: Text}
  deriving (Eq, Show, Generic)

newtype Wrapped = Wrapped {inside :: [Maybe String]}
  deriving (Eq, Show, Generic)

data Both a b = Both {former :: a, latter :: b}
  deriving (Eq, Show, Generic)

-- | A text of some length before the rest, so that the buffer ends anywhere in it.
data Padded = Padded {padding :: Text, rest :: Small, point :: Point, end :: Maybe Bool}
  deriving (Eq, Show, Generic)

deriving instance Eq Small
deriving instance Show Small
deriving instance Eq Large
deriving instance Show Large

concat <$> mapM (deriveToJSON defaultOptions) [''Small, ''Large, ''Point, ''Mixed, ''Names, ''Single, ''Wrapped, ''Both]
deriveToJSON defaultOptions ''Person
deriveToJSON defaultOptions ''Padded

instance Encode Small where encoding = $(unrolled ''Small)
instance Encode Large where encoding = generically
instance Encode Point where encoding = $(listed 'commaSep ''Point)
instance Encode Person where encoding = $(literal ''Person)

-- | Whole ranges, not only small ones.
whole :: Gen Int
whole = oneof [arbitrary, chooseBoundedIntegral (minBound, maxBound), elements [minBound, maxBound]]

real :: Gen Double
real = oneof [arbitrary, elements [0, -0, 1 / 0, -1 / 0, 0 / 0, 5.0e-324, 1.7976931348623157e308, 1e21, 0.1, 123456.789]]

-- | With many that have to be escaped, and surrogates, which are no characters.
unicode :: Gen Char
unicode = frequency
  [ (4, choose ('\0', '\x7f'))
  , (2, elements "\"\\/<>&\b\f\n\r\t\x1f\x7f\x80\x2028\x2029\xfffd\xffff\x10000\x10ffff")
  , (1, choose ('\xd800', '\xdfff'))
  , (2, arbitraryUnicodeChar)
  ]

string :: Gen String
string = listOf unicode

instance Arbitrary Text where
  arbitrary = Text.pack <$> string
  shrink = map Text.pack . shrink . Text.unpack

instance Arbitrary Mixed where
  arbitrary = Mixed <$> arbitrary <*> whole <*> ((*) <$> arbitrary <*> elements [1, 10 ^ (40 :: Int)]) <*> real
    <*> unicode <*> string <*> arbitrary <*> listOf (listOf (oneof [Just <$> whole, pure Nothing])) <*> listOf real <*> arbitrary
  shrink value = [value {name = shorter} | shorter <- shrink (name value)] ++ [value {note = shorter} | shorter <- shrink (note value)]

instance Arbitrary Point where
  arbitrary = Point <$> real <*> real

instance Arbitrary Person where
  arbitrary = sized person
    where
      person size = Person <$> arbitrary <*> arbitrary <*> arbitrary <*> below size <*> few size
      below size = if size < 2 then pure Nothing else Just <$> person (size `div` 3)
      few size = if size < 4 then pure [] else choose (0, 3) >>= \n -> vectorOf n (person (size `div` 4))

instance Arbitrary Names where
  arbitrary = Names <$> whole <*> whole <*> whole <*> whole <*> whole <*> whole

instance Arbitrary Single where
  arbitrary = Single <$> arbitrary

instance Arbitrary Wrapped where
  arbitrary = Wrapped <$> listOf (oneof [Just <$> string, pure Nothing])

instance (Arbitrary a, Arbitrary b) => Arbitrary (Both a b) where
  arbitrary = Both <$> arbitrary <*> arbitrary

instance Arbitrary Small where
  arbitrary = Small <$> whole <*> whole <*> whole <*> whole <*> whole

instance Arbitrary Large where
  arbitrary = Large <$> whole <*> whole <*> whole <*> whole <*> whole
    <*> whole <*> whole <*> whole <*> whole <*> whole
    <*> whole <*> whole <*> whole <*> whole <*> whole
    <*> whole <*> whole <*> whole <*> whole <*> whole
    <*> whole <*> whole <*> whole <*> whole <*> whole

-- | Around the first buffer of bytestring, 4 KiB less its header, and around the
-- ones after it, of 32 KiB.
instance Arbitrary Padded where
  arbitrary = do
    size <- oneof [choose (3900, 4120), choose (36600, 36900), choose (0, 100)]
    filled <- oneof [pure (replicate size 'x'), pure (replicate (size `div` 2) 'é'), pure (replicate (size `div` 6) '\1')]
    Padded (Text.pack filled) <$> arbitrary <*> arbitrary <*> arbitrary
