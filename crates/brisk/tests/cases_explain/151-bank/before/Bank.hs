module Bank
  ( Account
  , Bank
  , openBank
  , accountAt
  , transfer
  , closeMonth
  , totalFunds
  , richest
  ) where

import Control.Concurrent.STM
import Control.Monad (forM, forM_, when)
import Data.Array
import Data.List (foldl')

data Account = Account
  { number  :: !Int
  , balance :: !(TVar Int)
  , rate    :: !Int            -- in basis points per month
  }

newtype Bank = Bank { accounts :: Array Int Account }

openBank :: Int -> IO Bank
openBank n = do
  opened <- forM [0 .. n - 1] $ \i -> do
    cell <- newTVarIO (100000 + (i * 7919) `mod` 50021)
    return (Account i cell (15 + i `mod` 20))
  return (Bank (listArray (0, n - 1) opened))

accountAt :: Bank -> Int -> Account
accountAt (Bank as) i = as ! (lo + i `mod` (hi - lo + 1))
  where
    (lo, hi) = bounds as

transfer :: Account -> Account -> Int -> STM ()
transfer from to amount =
  when (number from /= number to) $ do
    modifyTVar' (balance from) (subtract amount)
    modifyTVar' (balance to) (+ amount)

accrue :: Account -> STM ()
accrue account = do
  old <- readTVar (balance account)
  let interest
        | old > 0   = old * rate account `div` 10000
        | otherwise = old * 2 * rate account `div` 10000
  writeTVar (balance account) $! old + interest

closeMonth :: Bank -> IO ()
closeMonth bank =
  atomically $ forM_ (elems (accounts bank)) accrue

totalFunds :: Bank -> IO Int
totalFunds bank = go 0 (elems (accounts bank))
  where
    go acc []       = return acc
    go acc (a : as) = do
      b <- readTVarIO (balance a)
      let acc' = acc + b
      acc' `seq` go acc' as

richest :: Bank -> IO (Int, Int)
richest bank = do
  pairs <- forM (elems (accounts bank)) $ \a -> do
    b <- readTVarIO (balance a)
    return (b, number a)
  let (b, i) = foldl' max (minBound, 0) pairs
  return (i, b)
