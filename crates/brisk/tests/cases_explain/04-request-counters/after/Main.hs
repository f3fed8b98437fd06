module Main (main) where

import Control.Monad (forM_, when)
import Data.IORef
import System.Environment (getArgs)

-- | A request log is replayed; counters are read once, at the end.

data Status = Ok | Redirect | ClientError | ServerError
  deriving (Eq)

data Request = Request
  { size :: Int
  , status :: Status
  }

data Counters = Counters
  { requests :: IORef Int
  , bytesSent :: IORef Int
  , failures :: IORef Int
  }

newCounters :: IO Counters
newCounters = Counters <$> newIORef 0 <*> newIORef 0 <*> newIORef 0

request :: Int -> Request
request i = Request (400 + h `mod` 5000) code
  where
    h = (i * 7919 + 13) `mod` 104729
    code = case h `mod` 20 of
      0 -> ServerError
      1 -> ClientError
      2 -> ClientError
      3 -> Redirect
      _ -> Ok

bump :: IORef Int -> Int -> IO ()
bump ref by = modifyIORef' ref (+ by)

record :: Counters -> Request -> IO ()
record c r = do
  bump (requests c) 1
  bump (bytesSent c) (size r)
  when (status r `elem` [ClientError, ServerError]) (bump (failures c) 1)

replay :: Counters -> Int -> IO ()
replay c n = forM_ [1 .. n] (\i -> record c (request i))

display :: Counters -> IO ()
display c = do
  total <- readIORef (requests c)
  sent <- readIORef (bytesSent c)
  bad <- readIORef (failures c)
  putStrLn ("requests " ++ show total)
  putStrLn ("sent     " ++ show sent)
  putStrLn ("failures " ++ show bad)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 1500000
  c <- newCounters
  replay c n
  display c
