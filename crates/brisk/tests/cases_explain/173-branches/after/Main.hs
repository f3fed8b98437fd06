module Main (main) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.List (foldl', sortOn)
import System.Environment (getArgs)

import Bank

-- Every clerk works through a fixed list of orders.
orders :: Int -> Int -> [(Int, Int, Int)]
orders size clerk =
  [ (from, to, amount)
  | k <- [1 .. 2000]
  , let from = (k * 7919 + clerk * 104729) `mod` size
        to   = (k * 6101 + clerk * 1299709 + 1) `mod` size
        amount = 1 + (k * clerk) `mod` 97
  , from /= to
  ]

clerkShift :: Bank -> MVar () -> Int -> IO ()
clerkShift bank done clerk = do
  forM_ (orders (bankSize bank) clerk) $ \(from, to, amount) ->
    atomically (transfer (accountAt bank from) (accountAt bank to) amount)
  putMVar done ()

businessDay :: Bank -> Int -> IO ()
businessDay bank clerks = do
  dones <- forM [1 .. clerks] $ \c -> do
    done <- newEmptyMVar
    _ <- forkIO (clerkShift bank done c)
    return done
  mapM_ takeMVar dones

closingReport :: Int -> [(Int, Int)] -> [String]
closingReport day bs =
  [ "day " ++ show day
  , "  total     " ++ show (foldl' (+) 0 (map snd bs))
  , "  overdrawn " ++ show (length (filter ((< 0) . snd) bs))
  , "  richest   " ++ unwords (map show (take 3 (sortOn (negate . snd) rich)))
  ]
  where rich = filter ((> 1200) . snd) bs

main :: IO ()
main = do
  [arg] <- getArgs
  bank <- openBank (read arg) 1000
  forM_ [1 .. 3] $ \day -> do
    businessDay bank 4
    bs <- balances bank
    mapM_ putStrLn (closingReport day bs)
