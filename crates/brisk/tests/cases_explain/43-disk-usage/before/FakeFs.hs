module FakeFs (Fs, Entry (..), mount, listDir) where

import Data.IORef

-- | An in-memory stand-in for a file system, so that runs can be repeated.
data Fs = Fs { width :: Int, syscalls :: IORef Int }

data Entry
  = File FilePath Int
  | Dir FilePath

mount :: Int -> IO Fs
mount w = Fs w <$> newIORef 0

listDir :: Fs -> FilePath -> IO [Entry]
listDir fs path = do
  modifyIORef' (syscalls fs) (+ 1)
  seed <- readIORef (syscalls fs)
  pure (subdirs ++ files seed)
  where
    depth = length (filter (== '/') path)
    subdirs
      | depth >= 4 = []
      | otherwise = [Dir (path ++ "/d" ++ show i) | i <- [1 .. 8 :: Int]]
    files seed =
      [ File (path ++ "/f" ++ show i) ((seed * 7919 + i * 104729) `rem` 65536)
      | i <- [1 .. width fs] ]
