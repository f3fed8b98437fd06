module Ledger
  ( Posting(..), Ledger, opening, postAll, accountTotal, balanceOf, overdrawn
  ) where

import Data.Array.Unboxed
import Data.List (foldl')

data Posting = Posting
  { fromAcc :: !Int
  , toAcc   :: !Int
  , cents   :: !Int
  } deriving Show

type Ledger = UArray Int Int

opening :: Int -> Int -> Ledger
opening n amount = listArray (0, n - 1) (replicate n amount)

-- A posting that would take the account below its limit is refused.
post :: Ledger -> Posting -> Ledger
post ledger (Posting f t c)
  | f == t || from - c < limit = ledger
  | otherwise = ledger // [(f, from - c), (t, ledger ! t + c)]
  where
    from = ledger ! f

limit :: Int
limit = -5000

postAll :: Ledger -> [Posting] -> Ledger
postAll = foldl' post

accountTotal :: Ledger -> Int
accountTotal = foldl' (+) 0 . elems

balanceOf :: Ledger -> Int -> Int
balanceOf = (!)

overdrawn :: Ledger -> [Int]
overdrawn ledger = [ i | (i, b) <- assocs ledger, b < 0 ]
