{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Steps (App (..), steps) where

import Control.Monad.State.Strict

newtype App a = App (State Int a)
    deriving (Functor, Applicative, Monad, MonadState Int)

steps :: Int -> App ()
steps 0 = return ()
steps n = do
    modify' (\it -> if it > 100 then it - 100 else it + n)
    steps (n - 1)
