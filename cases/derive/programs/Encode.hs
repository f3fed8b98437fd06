-- | The ways of this case, see "Command".
module Main (main) where

import Command (command)
import Ways (ways)

main :: IO ()
main = command ways
