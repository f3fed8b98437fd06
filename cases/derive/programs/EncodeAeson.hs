-- | The ways of aeson, see "Command".
module Main (main) where

import AesonWays (aesonWays)
import Command (command)

main :: IO ()
main = command aesonWays
