module Flood (Flood(..), explore) where

import Data.List (nub)
import qualified Data.Set as Set

import Cave

data Flood = Flood
  { minutes  :: Int
  , flooded  :: Int
  , widest   :: Int
  , farthest :: [Pos]
  }

-- | Water spreads from the source by one cell per minute.
explore :: Cave -> Pos -> Flood
explore cave source = spread 0 1 [source] (Set.singleton source)
  where
    spread minute width front seen
      | null front' = Flood minute (Set.size seen) width front
      | otherwise   = spread (minute + 1) (max width (length front')) front' (foldr Set.insert seen front')
      where
        front' = nub (filter (`Set.notMember` seen) (concatMap (neighbours cave) front))
