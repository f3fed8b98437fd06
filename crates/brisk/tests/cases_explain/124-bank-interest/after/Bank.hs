module Bank (Account(..), Bank, openBank, transfer, creditInterest, total) where

import Control.Concurrent.STM
import Control.Monad
import Data.Array

data Account = Account
  { owner   :: String
  , balance :: TVar Int
  }

type Bank = Array Int Account

openBank :: Int -> IO Bank
openBank n = do
  accts <- forM [1 .. n] $ \i -> do
    b <- newTVarIO (1000 + (i * 7919) `mod` 5000)
    return (Account ("customer-" ++ show i) b)
  return (listArray (1, n) accts)

transfer :: Bank -> Int -> Int -> Int -> STM Bool
transfer bank from to amount = do
  b <- readTVar (balance (bank ! from))
  if b < amount
    then return False
    else do
      modifyTVar' (balance (bank ! from)) (subtract amount)
      modifyTVar' (balance (bank ! to)) (+ amount)
      return True

creditInterest :: Bank -> Int -> IO ()
creditInterest bank permille =
  forM_ (elems bank) $ \acct -> atomically $
    modifyTVar' (balance acct) (\b -> b + b * permille `div` 1000)

total :: Bank -> IO Int
total bank = sum <$> mapM (readTVarIO . balance) (elems bank)
