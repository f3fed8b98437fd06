module Main (main) where

import Control.Concurrent
import Control.Concurrent.STM (atomically)
import Control.Monad
import System.Environment (getArgs)

import Bank

tellers :: Int
tellers = 4

teller :: Bank -> Int -> Int -> MVar () -> IO ()
teller bank jobs seed done = do
  forM_ (take jobs (steps seed)) $ \r -> do
    let from = accountAt bank (r `div` 7)
        to   = accountAt bank (r `div` 131)
    atomically (transfer from to (r `mod` 500))
  putMVar done ()

steps :: Int -> [Int]
steps = tail . iterate (\x -> (x * 1103515245 + 12345) `mod` 2147483648)

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
  bank <- openBank n
  forM_ [1 .. 3 :: Int] $ \month -> do
    dones <- forM [1 .. tellers] $ \t -> do
      done <- newEmptyMVar
      _ <- forkIO (teller bank (n `div` 2) (month * 100 + t) done)
      return done
    mapM_ takeMVar dones
    closeMonth bank
    total    <- totalFunds bank
    (who, b) <- richest bank
    putStrLn ("month " ++ show month
              ++ ": total " ++ show total
              ++ ", richest " ++ show who
              ++ " with " ++ show b)
