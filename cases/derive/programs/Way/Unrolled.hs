{-# LANGUAGE TemplateHaskell #-}

-- | By Template Haskell as the founding document mends it: no list is left.
module Way.Unrolled (encodeSmall, encodeLarge) where

import qualified Data.ByteString.Lazy as Lazy

import Derive.Splice (unrolled)
import Json.Encoding (toBytes)
import Record.Large (Large)
import Record.Small (Small)

encodeSmall :: Small -> Lazy.ByteString
encodeSmall record = toBytes ($(unrolled ''Small) record)

encodeLarge :: Large -> Lazy.ByteString
encodeLarge record = toBytes ($(unrolled ''Large) record)
