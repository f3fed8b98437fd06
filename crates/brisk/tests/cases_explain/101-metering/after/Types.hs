{-# LANGUAGE GeneralizedNewtypeDeriving #-}
module Types where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict

data Tariff = Tariff
  { baseRate  :: !Int
  , peakRate  :: !Int
  , peakHours :: !(Int, Int)
  , freeUnits :: !Int
  }

data Meter = Meter
  { unitsUsed :: !Int
  , owed      :: !Int
  , alarms    :: !Int
  } deriving Show

data Reading = Reading
  { readAt :: !Int
  , units  :: !Int
  }

data BillError
  = NegativeReading Int
  | CounterOverflow
  deriving Show

newtype App a = App (ReaderT Tariff (StateT Meter (Except BillError)) a)
  deriving ( Functor, Applicative, Monad
           , MonadReader Tariff, MonadState Meter, MonadError BillError )

runApp :: Tariff -> Meter -> App a -> Either BillError (a, Meter)
runApp tariff meter (App act) =
  runExcept (runStateT (runReaderT act tariff) meter)
