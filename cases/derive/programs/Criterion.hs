-- | All ways as the founding document measures them, with criterion.
module Main (main) where

import Criterion.Main (bench, bgroup, defaultMain, nf)

import AesonWays (aesonWays)
import Record.Large (large)
import Record.Small (small)
import Ways (Way (..), ways)

main :: IO ()
main =
  defaultMain
    [ bgroup "5" [bench (name way) (nf (encodeSmall way) (small 1)) | way <- every]
    , bgroup "25" [bench (name way) (nf (encodeLarge way) (large 1)) | way <- every]
    ]
  where
    every = ways ++ aesonWays
