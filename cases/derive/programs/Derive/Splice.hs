{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Encoders of records, derived by Template Haskell, as expressions:
--
-- > $(listed 'commaSep ''Point) :: Point -> Encoding
--
-- The types of all fields need an instance of 'Encode'.
module Derive.Splice
  ( listed
  , unrolled
  , literal
  ) where

import qualified Data.ByteString.Lazy as Lazy
import Language.Haskell.TH

import Json.Encode (Encode (..))
import Json.Encoding

-- | A member of the object: its key, and the variable that has its value.
data Field = Field String (Q Exp)

-- | The original style: all fields are a list, for a function that puts commas
-- between them.
--
-- > wrapObject (commaSep [string "x" >< (colon >< encoding a), ...])
listed :: Name -> Name -> Q Exp
listed separator = object $ \fields ->
  [| wrapObject ($(varE separator) $(listE (map member fields))) |]
  where
    member (Field key value) = [| string $(stringE key) >< (colon >< encoding $(value)) |]

-- | The commas are put in while the splice runs.
--
-- > fromPairs (pair "x" (encoding a) <> (pair "y" (encoding b) <> ...))
unrolled :: Name -> Q Exp
unrolled = object $ \fields -> [| fromPairs $(inARow '(<>) (map member fields)) |]
  where
    member (Field key value) = [| pair $(stringE key) (encoding $(value)) |]

-- | So is everything else that does not depend on values: keys are escaped.
--
-- > written "{\"x\":" >< (encoding a >< (written ",\"y\":" >< ...))
literal :: Name -> Q Exp
literal = object $ \fields ->
  inARow '(><) (concat (zipWith member ("{" : repeat ",") fields) ++ [constant "}"])
  where
    member before (Field key value) =
      [constant (before <> toBytes (string key >< colon)), [| encoding $(value) |]]
    constant bytes =
      [| written $(integerE (Lazy.length bytes)) $(litE (stringPrimL (Lazy.unpack bytes))) |]
    integerE = litE . integerL . toInteger

-- | With an operator between them that groups to the right.
inARow :: Name -> [Q Exp] -> Q Exp
inARow operator = foldr1 (\before after -> [| $(varE operator) $(before) $(after) |])

-- | A function that takes a record apart, with what makes an encoding of its fields.
object :: ([Field] -> Q Exp) -> Name -> Q Exp
object make record = do
  (constructor, keys) <- shape record
  values <- mapM (const (newName "value")) keys
  lamE
    [conP constructor (map varP values)]
    (make (zipWith Field (map nameBase keys) (map varE values)))

-- | The constructor and the fields of a type that is a record.
shape :: Name -> Q (Name, [Name])
shape record = do
  info <- reify record
  case info of
    TyConI (DataD _ _ _ _ [RecC constructor fields] _) | not (null fields) -> named constructor fields
    TyConI (NewtypeD _ _ _ _ (RecC constructor fields) _) -> named constructor fields
    _ -> fail ("no encoder is derived for `" ++ nameBase record ++ "`: it should have one constructor, with named fields")
  where
    named constructor fields = pure (constructor, [name | (name, _, _) <- fields])
