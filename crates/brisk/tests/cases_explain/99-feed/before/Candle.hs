module Candle (Candle (..), candles) where

import Data.Function (on)
import Data.List (foldl', groupBy)

import Trade

data Candle = Candle
  { open   :: !Int
  , high   :: !Int
  , low    :: !Int
  , close  :: !Int
  , volume :: !Int
  }

-- | One candle for each span of this many seconds.
candles :: Int -> [Trade] -> [Candle]
candles width = map candle . groupBy ((==) `on` ((`div` width) . tradeTime))

candle :: [Trade] -> Candle
candle [] = error "no trades"
candle (t : ts) = foldl' add (Candle p p p p (tradeVolume t)) ts
  where
    p = tradePrice t
    add (Candle o h l _ v) x =
      let q = tradePrice x
      in Candle o (max h q) (min l q) q (v + tradeVolume x)
