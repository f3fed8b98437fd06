module Colony
  ( Planet(..), Colony, Event(..), newColony, apply, richest ) where

import           Data.IntMap.Strict (IntMap)
import qualified Data.IntMap.Strict as IM
import           Data.List (maximumBy)
import           Data.Ord (comparing)

data Planet = Planet
  { planetName :: String
  , ore        :: Int
  , settlers   :: Int
  }

type Colony = IntMap Planet

data Event
  = Mined Int Int
  | Settled Int Int
  | Shipped Int Int
  deriving Show

newColony :: Int -> Colony
newColony k = IM.fromList
  [ (i, Planet ("Kepler-" ++ show i) 1000 10) | i <- [0 .. k - 1] ]

apply :: Colony -> Event -> Colony
apply c ev = case ev of
  Mined i n   -> IM.adjust (\p -> p { ore = ore p + n }) i c
  Settled i n -> IM.adjust (\p -> p { settlers = settlers p + n }) i c
  Shipped i n -> IM.adjust (\p -> p { ore = ore p - n }) i c

richest :: Colony -> Planet
richest = maximumBy (comparing ore) . IM.elems
