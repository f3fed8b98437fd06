{-# LANGUAGE TemplateHaskell #-}

-- | The same splice as "Way.Listed", for a function that GHC's rules take off a list.
module Way.Folded (encodeSmall, encodeLarge) where

import qualified Data.ByteString.Lazy as Lazy

import Derive.Splice (listed)
import Json.Encoding (commaSepFolded, toBytes)
import Record.Large (Large)
import Record.Small (Small)

encodeSmall :: Small -> Lazy.ByteString
encodeSmall record = toBytes ($(listed 'commaSepFolded ''Small) record)

encodeLarge :: Large -> Lazy.ByteString
encodeLarge record = toBytes ($(listed 'commaSepFolded ''Large) record)
