{-# LANGUAGE DeriveFunctor #-}
module Script
  ( Command (..)
  , Script
  , forward
  , turn
  , heading
  , interpret
  ) where

import Control.Monad (ap, liftM)

data Command k
  = Forward Int k
  | Turn Int k
  | Heading (Int -> k)
  deriving (Functor)

data Script a
  = Done a
  | Do (Command (Script a))

instance Functor Script where
  fmap = liftM

instance Applicative Script where
  pure = Done
  (<*>) = ap

instance Monad Script where
  Done a >>= k = k a
  Do cmd >>= k = Do (fmap (>>= k) cmd)

command :: Command a -> Script a
command = Do . fmap Done

forward, turn :: Int -> Script ()
forward n = command (Forward n ())
turn d = command (Turn d ())

heading :: Script Int
heading = command (Heading id)

-- | Runs a script; the answer, the end point and the length of the way.
interpret :: Script a -> (a, (Int, Int), Int)
interpret = go 0 0 0 0
  where
    go :: Int -> Int -> Int -> Int -> Script a -> (a, (Int, Int), Int)
    go x y way _ (Done a) = way `seq` (a, (x, y), way)
    go x y way dir (Do c) = case c of
      Forward n k ->
        let (dx, dy) = unit dir
        in go (x + n * dx) (y + n * dy) (way + n) dir k
      Turn d k -> go x y way ((dir + d) `mod` 4) k
      Heading k -> go x y way dir (k dir)

unit :: Int -> (Int, Int)
unit 0 = (1, 0)
unit 1 = (0, 1)
unit 2 = (-1, 0)
unit _ = (0, -1)
