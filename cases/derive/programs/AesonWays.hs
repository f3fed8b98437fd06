{-# LANGUAGE TemplateHaskell #-}

-- | The ways of the aeson that is installed. The founding document is about the
-- one of 2017.
module AesonWays (aesonWays) where

import Data.Aeson (defaultOptions, genericToEncoding)
import Data.Aeson.Encoding (encodingToLazyByteString)
import Data.Aeson.TH (mkToEncoding)
import qualified Data.ByteString.Lazy as Lazy

import Record.Large (Large)
import Record.Small (Small)
import Ways (Way (..))

aesonWays :: [Way]
aesonWays =
  [ Way "aeson-th" smallSpliced largeSpliced
  , Way "aeson-generic" smallGeneric largeGeneric
  ]

smallSpliced, smallGeneric :: Small -> Lazy.ByteString
smallSpliced record = encodingToLazyByteString ($(mkToEncoding defaultOptions ''Small) record)
smallGeneric record = encodingToLazyByteString (genericToEncoding defaultOptions record)

largeSpliced, largeGeneric :: Large -> Lazy.ByteString
largeSpliced record = encodingToLazyByteString ($(mkToEncoding defaultOptions ''Large) record)
largeGeneric record = encodingToLazyByteString (genericToEncoding defaultOptions record)
