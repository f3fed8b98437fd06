{-# LANGUAGE DeriveFunctor, RankNTypes #-}
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

-- | The commands of a script as data, for the interpreter.
data Steps a
  = Done a
  | Do (Command (Steps a))

-- | A script builds its steps in front of those that follow.
newtype Script a = Script (forall r. (a -> Steps r) -> Steps r)

instance Functor Script where
  fmap = liftM

instance Applicative Script where
  pure a = Script (\k -> k a)
  (<*>) = ap

instance Monad Script where
  Script m >>= f = Script (\k -> m (\a -> let Script n = f a in n k))

command :: Command a -> Script a
command cmd = Script (\k -> Do (fmap k cmd))

forward, turn :: Int -> Script ()
forward n = command (Forward n ())
turn d = command (Turn d ())

heading :: Script Int
heading = command (Heading id)

-- | Runs a script; the answer, the end point and the length of the way.
interpret :: Script a -> (a, (Int, Int), Int)
interpret (Script build) = go 0 0 0 0 (build Done)
  where
    go :: Int -> Int -> Int -> Int -> Steps a -> (a, (Int, Int), Int)
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
