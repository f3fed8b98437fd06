{-# LANGUAGE TemplateHaskell #-}

-- | By Template Haskell, with all that is not a value made by the splice.
module Way.Literal (encodeSmall, encodeLarge) where

import qualified Data.ByteString.Lazy as Lazy

import Derive.Splice (literal)
import Json.Encoding (toBytes)
import Record.Large (Large)
import Record.Small (Small)

encodeSmall :: Small -> Lazy.ByteString
encodeSmall record = toBytes ($(literal ''Small) record)

encodeLarge :: Large -> Lazy.ByteString
encodeLarge record = toBytes ($(literal ''Large) record)
