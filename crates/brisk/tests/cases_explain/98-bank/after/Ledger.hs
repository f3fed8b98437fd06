module Ledger
  ( Ledger
  , openLedger
  , transfer
  , monthEnd
  , statement
  ) where

import Control.Concurrent.STM
import Control.Monad (when)
import qualified Data.IntMap.Strict as IntMap

newtype Ledger = Ledger (TVar (IntMap.IntMap Int))

-- | Open accounts with these balances in cents.
openLedger :: [(Int, Int)] -> IO Ledger
openLedger = fmap Ledger . newTVarIO . IntMap.fromList

transfer :: Ledger -> Int -> Int -> Int -> STM ()
transfer (Ledger var) from to amount = do
  accounts <- readTVar var
  when (accounts IntMap.! from >= amount) $
    writeTVar var $! IntMap.adjust (+ amount) to (IntMap.adjust (subtract amount) from accounts)

-- | Interest for every account, all at the same moment.
monthEnd :: Ledger -> Int -> STM Int
monthEnd (Ledger var) rate = do
  accounts <- readTVar var
  let interest balance = balance * rate `div` 10000
  writeTVar var $! IntMap.map (\b -> b + interest b) accounts
  return $! sum (map interest (IntMap.elems accounts))

statement :: Ledger -> IO (IntMap.IntMap Int)
statement (Ledger var) = readTVarIO var
