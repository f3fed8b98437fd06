{-# LANGUAGE OverloadedStrings #-}
module Incident (Incident (..), incidents) where

import qualified Data.ByteString.Char8 as B

data Incident = Incident
  { path :: !B.ByteString
  , trace :: !B.ByteString
  }

-- | The requests of a chunk that the server answered with 500.
incidents :: B.ByteString -> [Incident]
incidents body =
  [ Incident (B.copy (ws !! 2)) (B.copy (field ws))
  | row <- B.lines body
  , " status=500 " `B.isInfixOf` row
  , let ws = B.words row
  ]
  where
    field = B.drop 6 . last
