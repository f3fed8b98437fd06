module App (App, execute) where

import Control.Monad.State.Strict
import Steps (App (..), steps)

execute :: Int -> Int
execute n = case steps n of App action -> execState action 0
