module Roster
  ( Player (..)
  , Goal (..)
  , roster
  , rating
  ) where

data Player = Player
  { shirt :: !Int
  , attack :: !Int
  , defence :: !Int
  , wage :: !Int
  }

data Goal = Goal
  { label :: String
  , attackWeight :: !Int
  , defenceWeight :: !Int
  , budget :: !Int
  }

roster :: Int -> [Player]
roster n =
  [ Player k (mix 37 91 k) (mix 53 83 k) (20 + mix 29 71 k) | k <- [1 .. n] ]
  where
    mix a m k = (a * k * k + 11 * k) `mod` m

rating :: Goal -> Player -> Int
rating goal p = attackWeight goal * attack p + defenceWeight goal * defence p
