{-# OPTIONS_GHC -fno-full-laziness #-}
module Planner (Plan (..), plans) where

import Data.List (foldl', subsequences)
import Roster

data Plan = Plan
  { planGoal :: String
  , points :: !Int
  , shirts :: [Int]
  }

-- | For every goal the strongest affordable selection of the squad.
plans :: [Player] -> [Goal] -> [Plan]
plans squad = map strongest
  where
    strongest goal = foldl' (better goal) nobody (subsequences squad)
      where
        nobody = Plan (label goal) 0 []

better :: Goal -> Plan -> [Player] -> Plan
better goal best chosen
  | cost > budget goal = best
  | total > points best = best { points = total, shirts = map shirt chosen }
  | otherwise = best
  where
    cost = sum (map wage chosen)
    total = sum (map (rating goal) chosen)
