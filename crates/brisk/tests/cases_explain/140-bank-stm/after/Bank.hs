module Bank (Bank, openBank, transfer, postInterest, total, balance) where

import Control.Concurrent.STM
import Control.Monad (when)
import Data.IntMap.Strict (IntMap)
import qualified Data.IntMap.Strict as IM

newtype Bank = Bank (TVar (IntMap Int))

openBank :: [Int] -> IO Bank
openBank amounts = Bank <$> newTVarIO (IM.fromDistinctAscList (zip [0 ..] amounts))

transfer :: Bank -> Int -> Int -> Int -> IO ()
transfer (Bank accounts) from to cents = atomically $ do
  have <- (IM.! from) <$> readTVar accounts
  when (have >= cents) $
    modifyTVar' accounts (IM.adjust (+ cents) to . IM.adjust (subtract cents) from)

-- | All accounts get their interest at the same moment.
postInterest :: Bank -> Int -> IO ()
postInterest (Bank accounts) percent = atomically $
  modifyTVar' accounts (IM.map (\c -> c + c * percent `div` 100))

-- | A consistent sum over the bank.
total :: Bank -> IO Int
total (Bank accounts) = sum <$> readTVarIO accounts

balance :: Bank -> Int -> IO Int
balance (Bank accounts) k = (IM.! k) <$> readTVarIO accounts
