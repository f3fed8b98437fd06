module Bank (Bank, openBank, transfer, postInterest, total, balance) where

import Control.Concurrent.STM
import Control.Monad (forM_, when)
import Data.Array

newtype Bank = Bank (Array Int (TVar Int))

openBank :: [Int] -> IO Bank
openBank amounts = do
  vars <- mapM newTVarIO amounts
  return (Bank (listArray (0, length vars - 1) vars))

transfer :: Bank -> Int -> Int -> Int -> IO ()
transfer (Bank accounts) from to cents = atomically $ do
  have <- readTVar (accounts ! from)
  when (have >= cents) $ do
    modifyTVar' (accounts ! from) (subtract cents)
    modifyTVar' (accounts ! to) (+ cents)

-- | All accounts get their interest at the same moment.
postInterest :: Bank -> Int -> IO ()
postInterest (Bank accounts) percent = atomically $
  forM_ (elems accounts) $ \v ->
    modifyTVar' v (\c -> c + c * percent `div` 100)

-- | A consistent sum over the bank.
total :: Bank -> IO Int
total (Bank accounts) = atomically $ sum <$> mapM readTVar (elems accounts)

balance :: Bank -> Int -> IO Int
balance (Bank accounts) k = readTVarIO (accounts ! k)
