module Toy.Engine (run) where

import qualified Toy.Machine as Machine

run :: Int -> Int -> IO Int
run = Machine.run
