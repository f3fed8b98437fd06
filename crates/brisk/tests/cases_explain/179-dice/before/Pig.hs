{-# LANGUAGE BangPatterns #-}
module Pig (Score(..), match) where

import Rng

data Score = Score
  { winner :: !Int
  , turns  :: !Int
  , rolls  :: !Int
  } deriving (Eq, Show)

goal = 100

-- Two players of the game of Pig: both keep rolling until a turn total.
match holdA holdB seed = go (start seed) 0 0 1 0
  where
    go s a b n r =
      let (s1, gained, r1) = turn holdA s
          a' = a + gained
          (s2, gained', r2) = turn holdB s1
          b' = b + gained'
      in if a' >= goal
           then Score 1 n (r + fromIntegral r1)
           else if b' >= goal
             then Score 2 n (r + fromIntegral (r1 + r2))
             else go s2 a' b' (n + 1) (r + fromIntegral (r1 + r2))

turn hold = go 0 1
  where
    go !total !count s
      | d == 1         = (s', 0, count)
      | total' >= hold = (s', total', count)
      | otherwise      = go total' (count + 1) s'
      where
        s' = next s
        d = die s'
        total' = total + d
