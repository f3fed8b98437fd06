module Turtle (Turtle(..), start, runTurtle) where

import Script

data Turtle = Turtle
  { posX  :: !Int
  , posY  :: !Int
  , angle :: !Int
  , trail :: !Int
  } deriving Show

start :: Turtle
start = Turtle 0 0 0 0

runTurtle :: Script a -> Turtle -> (a, Turtle)
runTurtle = foldScript (\a t -> (a, t)) step
  where
    step (Forward n k) t = k (move n t)
    step (Turn d k)    t = k t { angle = (angle t + d) `mod` 360 }
    step (Heading k)   t = k (angle t) t

move :: Int -> Turtle -> Turtle
move n t = case angle t of
  0   -> t' { posX = posX t + n }
  90  -> t' { posY = posY t + n }
  180 -> t' { posX = posX t - n }
  _   -> t' { posY = posY t - n }
  where t' = t { trail = trail t + n }
