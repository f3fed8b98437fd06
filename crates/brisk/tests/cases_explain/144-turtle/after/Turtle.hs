{-# LANGUAGE DeriveFunctor #-}
module Turtle where

import Free

data TurtleF k
  = Forward Int k
  | TurnRight k
  | Where ((Int, Int) -> k)
  deriving Functor

type Turtle = Free TurtleF

forward :: Int -> Turtle ()
forward n = liftF (Forward n ())

turnRight :: Turtle ()
turnRight = liftF (TurnRight ())

position :: Turtle (Int, Int)
position = liftF (Where id)

data Pen = Pen { px, py, dx, dy, ink :: !Int }

runTurtle :: Turtle a -> Pen -> (a, Pen)
runTurtle = foldFree (,) alg
  where
    alg (Forward n k) p = k p { px = px p + n * dx p, py = py p + n * dy p, ink = ink p + n }
    alg (TurnRight k) p = k p { dx = dy p, dy = negate (dx p) }
    alg (Where k) p = k (px p, py p) p
