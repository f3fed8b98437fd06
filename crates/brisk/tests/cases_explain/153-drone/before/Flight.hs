module Flight
  ( Log (..)
  , Place (..)
  , Order (..)
  , fly
  , deliver
  ) where

import Control.Monad.Trans.Writer.Strict

data Place = Place !Int !Int
  deriving (Eq, Show)

data Order = Order
  { target :: !Place
  , weight :: !Int
  }

-- What a flight has cost so far.
data Log = Log
  { steps    :: !Int
  , energy   :: !Int
  , landings :: !Int
  , highest  :: !Int
  }
  deriving (Show)

instance Semigroup Log where
  Log a b c d <> Log a' b' c' d' =
    Log (a + a') (b + b') (c + c') (max d d')

instance Monoid Log where
  mempty = Log 0 0 0 0

move :: Int -> Place -> Place -> Writer Log Place
move load (Place x y) (Place tx ty) = do
  tell (Log 1 (3 + load) 0 (abs x + abs y))
  return $! if x /= tx
    then Place (x + signum (tx - x)) y
    else Place x (y + signum (ty - y))

fly :: Int -> Place -> Place -> Writer Log Place
fly load here there
  | here == there = return here
  | otherwise     = do
      next <- move load here there
      fly load next there

land :: Writer Log ()
land = tell (Log 0 10 1 0)

deliver :: Place -> [Order] -> Writer Log Place
deliver here []       = return here
deliver here (o : os) = do
  there <- fly (weight o) here (target o)
  land
  deliver there os
