-- | All ways to encoders, by name: what is timed and tested.
module Ways (Way (..), ways) where

import qualified Data.ByteString.Lazy as Lazy

import Record.Large (Large)
import Record.Small (Small)
import qualified Way.Folded as Folded
import qualified Way.Generically as Generically
import qualified Way.Listed as Listed
import qualified Way.Literal as Literal
import qualified Way.Unrolled as Unrolled

data Way = Way
  { name :: String
  , encodeSmall :: Small -> Lazy.ByteString
  , encodeLarge :: Large -> Lazy.ByteString
  }

ways :: [Way]
ways =
  [ Way "listed" Listed.encodeSmall Listed.encodeLarge
  , Way "folded" Folded.encodeSmall Folded.encodeLarge
  , Way "unrolled" Unrolled.encodeSmall Unrolled.encodeLarge
  , Way "literal" Literal.encodeSmall Literal.encodeLarge
  , Way "generic" Generically.encodeSmall Generically.encodeLarge
  ]
