module Ledger
  ( Ledger
  , openLedger
  , transfer
  , monthEnd
  , statement
  ) where

import Control.Concurrent.STM
import Control.Monad (forM, when)
import qualified Data.IntMap.Strict as IntMap

type Ledger = IntMap.IntMap (TVar Int)

-- | Open accounts with these balances in cents.
openLedger :: [(Int, Int)] -> IO Ledger
openLedger = traverse newTVarIO . IntMap.fromList

transfer :: Ledger -> Int -> Int -> Int -> STM ()
transfer ledger from to amount = do
  let source = ledger IntMap.! from
      target = ledger IntMap.! to
  balance <- readTVar source
  when (balance >= amount) $ do
    modifyTVar' source (subtract amount)
    modifyTVar' target (+ amount)

-- | Interest for every account, all at the same moment.
monthEnd :: Ledger -> Int -> STM Int
monthEnd ledger rate = do
  paid <- forM (IntMap.elems ledger) $ \account -> do
    balance <- readTVar account
    let interest = balance * rate `div` 10000
    writeTVar account $! balance + interest
    return interest
  return $! sum paid

statement :: Ledger -> IO (IntMap.IntMap Int)
statement = traverse readTVarIO
