module Main (main) where

import Control.DeepSeq (force)
import Control.Exception (evaluate)
import Control.Monad (when)
import Data.IORef
import System.Environment (getArgs)

import Session

traffic :: Int -> [Event]
traffic n = map event [1 .. n]
  where
    event k
      | k `mod` 13 == 0 = Logout (user (k * 5))
      | otherwise       = Visit (user k) ((k * k + 3 * k) `mod` 211)
    user k = (k * 7919) `mod` 1500

handle :: IORef World -> (Int, Event) -> IO ()
handle ref (k, ev) = do
  w <- readIORef ref
  w' <- evaluate (force (apply w ev))
  writeIORef ref w'
  when (k `mod` 5000 == 0) $
    putStrLn ("after " ++ show k ++ ": " ++ show (active w') ++ " sessions, "
              ++ show (closed w') ++ " closed")

main :: IO ()
main = do
  [arg] <- getArgs
  ref <- newIORef emptyWorld
  mapM_ (handle ref) (zip [1 ..] (traffic (read arg)))
  w <- readIORef ref
  putStrLn "most visited"
  mapM_ (\(p, c) -> putStrLn ("  /page/" ++ show p ++ "  " ++ show c)) (topPages 5 w)
