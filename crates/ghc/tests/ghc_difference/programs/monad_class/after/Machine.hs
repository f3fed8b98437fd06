module Machine (execute, steps) where

import Control.Monad.Reader
import Control.Monad.State.Strict

steps :: Int -> StateT Int (Reader Int) ()
steps 0 = return ()
steps n = do
    limit <- ask
    modify' (\it -> if it > limit then it - limit else it + n)
    steps (n - 1)
{-# NOINLINE steps #-}

execute :: Int -> Int
execute n = runReader (execStateT (steps n) 0) 100
