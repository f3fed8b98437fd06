{-# LANGUAGE FlexibleContexts #-}
module Steps (steps) where

import Control.Monad.State.Strict

steps :: MonadState Int m => Int -> m ()
steps 0 = return ()
steps n = do
    modify' (\it -> if it > 100 then it - 100 else it + n)
    steps (n - 1)
