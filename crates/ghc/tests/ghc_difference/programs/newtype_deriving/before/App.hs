{-# LANGUAGE FlexibleContexts, GeneralizedNewtypeDeriving #-}
module App (App, execute) where

import Control.Monad.State.Strict
import Steps (steps)

newtype App a = App (State Int a)
    deriving (Functor, Applicative, Monad, MonadState Int)

execute :: Int -> Int
execute n = case steps n of App action -> execState action 0
