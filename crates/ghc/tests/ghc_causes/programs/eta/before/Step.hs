module Step (Config (..), run) where

import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Reader
import Data.IORef

data Config = Config { total :: IORef Int, scale :: Int }

data Op = Add Int | Clear

decode :: Int -> Op
decode word = if word `rem` 7 == 0 then Clear else Add word
{-# NOINLINE decode #-}

step :: Int -> ReaderT Config IO ()
step word = case decode word of
  Add n -> do
    cell <- asks total
    factor <- asks scale
    liftIO (modifyIORef' cell (+ factor * n))
  Clear -> do
    cell <- asks total
    liftIO (writeIORef cell 0)
{-# NOINLINE step #-}

run :: Int -> ReaderT Config IO ()
run 0 = return ()
run n = step n >> run (n - 1)
