module Bank
  ( Bank, Account(..), openBank, transfer, balances, accountAt, bankSize
  ) where

import Control.Concurrent.STM
import Data.Array

data Account = Account
  { accOwner   :: !Int
  , accBalance :: !(TVar Int)
  }

newtype Bank = Bank (Array Int Account)

openBank :: Int -> Int -> IO Bank
openBank n initial = do
  accs <- mapM open [0 .. n - 1]
  return (Bank (listArray (0, n - 1) accs))
  where
    open i = Account i <$> newTVarIO initial

bankSize :: Bank -> Int
bankSize (Bank arr) = rangeSize (bounds arr)

accountAt :: Bank -> Int -> Account
accountAt (Bank arr) i = arr ! i

transfer :: Account -> Account -> Int -> STM ()
transfer from to amount = do
  a <- readTVar (accBalance from)
  writeTVar (accBalance from) $! a - amount
  b <- readTVar (accBalance to)
  writeTVar (accBalance to) $! b + amount

balances :: Bank -> IO [(Int, Int)]
balances (Bank arr) = atomically (mapM look (elems arr))
  where
    look acc = do
      b <- readTVar (accBalance acc)
      return (accOwner acc, b)
