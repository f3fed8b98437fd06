module Bank (Account, Bank, openBank, transfer, endOfMonth, totalAssets, account) where

import Control.Concurrent.STM
import Control.Monad
import qualified Data.IntMap.Strict as IM

data Account = Account
  { balance :: !(TVar Int)
  , fees    :: !(TVar Int)
  }

newtype Bank = Bank (IM.IntMap Account)

openBank :: Int -> IO Bank
openBank n = Bank . IM.fromList <$> forM [0 .. n - 1] open
  where
    open i = do
      b <- newTVarIO (10000 + i * 37 `mod` 5000)
      f <- newTVarIO 0
      return (i, Account b f)

account :: Bank -> Int -> IO (Int, Int)
account (Bank m) i = do
  let a = m IM.! i
  (,) <$> readTVarIO (balance a) <*> readTVarIO (fees a)

-- | Move money if the payer can afford it.
transfer :: Bank -> Int -> Int -> Int -> IO Bool
transfer (Bank m) from to cents = atomically $ do
  let a = m IM.! from
      b = m IM.! to
  have <- readTVar (balance a)
  if have < cents
    then return False
    else do
      modifyTVar' (balance a) (subtract cents)
      modifyTVar' (balance b) (+ cents)
      modifyTVar' (fees a) (+ 5)
      return True

-- | Interest is paid and the fees of the month are taken.
accrue :: Int -> Account -> STM ()
accrue permille a = do
  b <- readTVar (balance a)
  f <- readTVar (fees a)
  writeTVar (balance a) $! b + b * permille `div` 1000 - f
  writeTVar (fees a) 0

endOfMonth :: Bank -> Int -> IO ()
endOfMonth (Bank m) permille =
  mapM_ (atomically . accrue permille) (IM.elems m)

totalAssets :: Bank -> IO Int
totalAssets (Bank m) =
  sum <$> mapM (readTVarIO . balance) (IM.elems m)
