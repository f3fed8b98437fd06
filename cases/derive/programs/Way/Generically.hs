-- | By GHC's generics.
module Way.Generically (encodeSmall, encodeLarge) where

import qualified Data.ByteString.Lazy as Lazy

import Derive.Generically (generically)
import Json.Encoding (toBytes)
import Record.Large (Large)
import Record.Small (Small)

encodeSmall :: Small -> Lazy.ByteString
encodeSmall record = toBytes (generically record)

encodeLarge :: Large -> Lazy.ByteString
encodeLarge record = toBytes (generically record)
