{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Main (main) where

import Control.Monad.Reader
import Data.Array.IO
import Data.IORef
import Machine
import Memory
import System.Environment

data Host = Host { ram :: IOUArray Int Int, port :: IORef [Int] }

newtype Emulator a = Emulator (ReaderT Host IO a)
  deriving (Functor, Applicative, Monad, MonadIO, MonadReader Host)

instance MonadMemory Emulator where
  loadWord a = do
    mem <- asks ram
    liftIO (readArray mem a)
  storeWord a v = do
    mem <- asks ram
    liftIO (writeArray mem a v)
  output v = do
    p <- asks port
    liftIO (modifyIORef' p (v :))

boot :: Emulator a -> IO (a, [Int])
boot (Emulator act) = do
  host <- Host <$> newArray (0, 127) 0 <*> newIORef []
  r <- runReaderT act host
  printed <- readIORef (port host)
  return (r, reverse printed)

-- | mem[1] := a linear congruential generator stepped n times
lcg :: Int -> Program
lcg n = assemble
  [ Push n, Store 0
  , Push 17, Store 1
  , Load 1, Push 1103515245, Mul, Push 12345, Add, Push 2147483648, Mod, Store 1
  , Load 0, Push (-1), Add, Dup, Store 0
  , JumpUnlessZero 4
  , Load 1, Print
  , Halt
  ]

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        []      -> 700000
  (ticks, printed) <- boot (execute (lcg n))
  putStrLn ("instructions: " ++ show ticks)
  putStrLn ("output: " ++ unwords (map show printed))
