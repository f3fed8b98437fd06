module Tally (Tally(..), moved, turned, bumped) where

data Tally = Tally
  { moves :: !Int
  , turns :: !Int
  , bumps :: !Int
  } deriving Show

instance Semigroup Tally where
  Tally a b c <> Tally x y z = Tally (a + x) (b + y) (c + z)

instance Monoid Tally where
  mempty = Tally 0 0 0

moved, turned, bumped :: Tally
moved = Tally 1 0 0
turned = Tally 0 1 0
bumped = Tally 0 0 1
