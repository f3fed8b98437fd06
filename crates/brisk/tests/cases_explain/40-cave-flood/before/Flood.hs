module Flood (Flood(..), explore) where

import Data.List (nub)

import Cave

data Flood = Flood
  { minutes  :: Int
  , flooded  :: Int
  , widest   :: Int
  , farthest :: [Pos]
  }

-- | Water spreads from the source by one cell per minute.
explore :: Cave -> Pos -> Flood
explore cave source = spread 0 1 [source] [source]
  where
    spread minute width front seen
      | null front' = Flood minute (length seen) width front
      | otherwise   = spread (minute + 1) (max width (length front')) front' (front' ++ seen)
      where
        front' = nub (filter (`notElem` seen) (concatMap (neighbours cave) front))
