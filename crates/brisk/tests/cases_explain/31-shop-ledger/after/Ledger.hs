module Ledger
  ( Entry(..)
  , Kind(..)
  , Ledger(..)
  , closeDay
  , netIncome
  ) where

import Control.Monad (when)
import Control.Monad.State.Strict

data Kind = Sale | Refund | Adjustment
  deriving (Eq, Show, Enum, Bounded)

data Entry = Entry
  { entryKind :: Kind
  , cents     :: Int
  , till      :: Int
  }

-- | What the accountant wants to see at the end of the day.
data Ledger = Ledger
  { turnover  :: !Int
  , refunded  :: !Int
  , adjusted  :: !Int
  , receipts  :: !Int
  , lastTill  :: !Int
  }

opening :: Ledger
opening = Ledger
  { turnover = 0
  , refunded = 0
  , adjusted = 0
  , receipts = 0
  , lastTill = 0
  }

post :: Entry -> State Ledger ()
post e = do
  case entryKind e of
    Sale       -> modify' $ \l -> l { turnover = turnover l + cents e }
    Refund     -> modify' $ \l -> l { refunded = refunded l + cents e }
    Adjustment -> modify' $ \l -> l { adjusted = adjusted l + signed (cents e) }
  when (entryKind e /= Adjustment) $
    modify' $ \l -> l { receipts = receipts l + 1, lastTill = till e }
  where
    signed c | even c    = c `div` 2
             | otherwise = negate c

closeDay :: [Entry] -> Ledger
closeDay entries = execState (mapM_ post entries) opening

netIncome :: Ledger -> Int
netIncome l = turnover l - refunded l + adjusted l
