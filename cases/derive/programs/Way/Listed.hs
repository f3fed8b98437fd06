{-# LANGUAGE TemplateHaskell #-}

-- | By Template Haskell in the original style: a list for a recursive function.
module Way.Listed (encodeSmall, encodeLarge) where

import qualified Data.ByteString.Lazy as Lazy

import Derive.Splice (listed)
import Json.Encoding (commaSep, toBytes)
import Record.Large (Large)
import Record.Small (Small)

encodeSmall :: Small -> Lazy.ByteString
encodeSmall record = toBytes ($(listed 'commaSep ''Small) record)

encodeLarge :: Large -> Lazy.ByteString
encodeLarge record = toBytes ($(listed 'commaSep ''Large) record)
