{-# LANGUAGE TemplateHaskell #-}

-- | A record's encoders by all ways.
module EveryWay (everyWay) where

import Language.Haskell.TH (Exp, Name, Q)

import Derive.Generically (generically)
import Derive.Splice (listed, literal, unrolled)
import Json.Encoding (commaSep, commaSepFolded, toBytes)

-- | @[(String, record -> ByteString)]@
everyWay :: Name -> Q Exp
everyWay record =
  [| [ ("listed", toBytes . $(listed 'commaSep record))
     , ("folded", toBytes . $(listed 'commaSepFolded record))
     , ("unrolled", toBytes . $(unrolled record))
     , ("literal", toBytes . $(literal record))
     , ("generic", toBytes . generically)
     ] |]
