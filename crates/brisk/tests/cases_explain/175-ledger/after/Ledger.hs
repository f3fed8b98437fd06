module Ledger
  ( Posting(..), Ledger, opening, postAll, accountTotal, balanceOf, overdrawn
  ) where

import Control.Monad (unless)
import Control.Monad.ST (ST)
import Data.Array.ST
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
post :: STUArray s Int Int -> Posting -> ST s ()
post ledger (Posting f t c) = do
  from <- readArray ledger f
  unless (f == t || from - c < limit) $ do
    to <- readArray ledger t
    writeArray ledger f (from - c)
    writeArray ledger t (to + c)

limit :: Int
limit = -5000

postAll :: Ledger -> [Posting] -> Ledger
postAll start ps = runSTUArray (do
  ledger <- thaw start
  mapM_ (post ledger) ps
  return ledger)

accountTotal :: Ledger -> Int
accountTotal = foldl' (+) 0 . elems

balanceOf :: Ledger -> Int -> Int
balanceOf = (!)

overdrawn :: Ledger -> [Int]
overdrawn ledger = [ i | (i, b) <- assocs ledger, b < 0 ]
