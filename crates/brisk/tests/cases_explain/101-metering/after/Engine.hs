{-# LANGUAGE ConstraintKinds  #-}
{-# LANGUAGE FlexibleContexts #-}
module Engine (Billing, billAll, settle) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import Types

type Billing m =
  (MonadReader Tariff m, MonadState Meter m, MonadError BillError m)

-- | The price of one unit at an hour of the day.
rateFor :: Billing m => Int -> m Int
{-# SPECIALIZE rateFor :: Int -> App Int #-}
rateFor hour = do
  (from, to) <- asks peakHours
  if hour >= from && hour < to
    then asks peakRate
    else asks baseRate

-- | Enter one reading into the meter.
charge :: Billing m => Reading -> m ()
{-# SPECIALIZE charge :: Reading -> App () #-}
charge (Reading at n) = do
  when (n < 0) $ throwError (NegativeReading at)
  rate <- rateFor (at `mod` 24)
  free <- asks freeUnits
  used <- gets unitsUsed
  let payable = if used < free then max 0 (used + n - free) else n
  modify' $ \m -> m { unitsUsed = used + n, owed = owed m + payable * rate }
  when (n > 90) $ modify' $ \m -> m { alarms = alarms m + 1 }
  total <- gets owed
  when (total < 0) $ throwError CounterOverflow

-- | Enter all readings of a customer; faulty ones are skipped and counted.
billAll :: Billing m => [Reading] -> m Int
{-# SPECIALIZE billAll :: [Reading] -> App Int #-}
billAll = go 0
  where
    go skipped []       = return skipped
    go skipped (r : rs) = do
      ok <- (charge r >> return True) `catchError` recover
      go (if ok then skipped else skipped + 1 :: Int) rs

    recover (NegativeReading _) = return False
    recover e                   = throwError e

-- | Close the month: returns the amount due.
settle :: Billing m => m Int
{-# SPECIALIZE settle :: App Int #-}
settle = do
  due <- gets owed
  modify' $ \m -> m { owed = 0 }
  return due
