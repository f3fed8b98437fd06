{-# LANGUAGE BangPatterns #-}
module Track where

import Units

data Fix = Fix
  { east   :: !Metres
  , north  :: !Metres
  , height :: !Metres
  , clock  :: !Seconds
  }

data Summary = Summary
  { distance :: !Kilometres
  , climbed  :: !Metres
  , fastest  :: !Speed
  , stops    :: !Int
  }

leg :: Fix -> Fix -> Metres
leg a b = metres (sqrt (dx * dx + dy * dy))
  where
    dx = toDouble (east b - east a)
    dy = toDouble (north b - north a)

summarise :: [Fix] -> Summary
summarise = go (Summary 0 0 0 0)
  where
    go !s (a : rest@(b : _)) = go (add s a b) rest
    go s _ = s

add :: Summary -> Fix -> Fix -> Summary
add s a b = Summary
  { distance = distance s + toKilometres d
  , climbed  = climbed s + max 0 (scaleBy 0.95 (height b - height a))
  , fastest  = max (fastest s) v
  , stops    = stops s + (if v < 0.5 then 1 else 0)
  }
  where
    d = leg a b
    v = perSecond d (clock b - clock a)

recorded :: Int -> [Fix]
recorded n = take n (go 7 0 0 120 0)
  where
    go :: Int -> Double -> Double -> Double -> Double -> [Fix]
    go !seed !x !y !h !t =
      Fix (metres x) (metres y) (metres h) (seconds t)
        : go (next seed) (x + move 16 3) (y + move 256 2) (h + move 4096 0.4 / 5) (t + 1 + abs (move 64 0.1))
      where
        move k bias = fromIntegral ((seed `div` k) `mod` 101 - 50) / 10 + bias
    next s = (s * 69069 + 1) `mod` 4294967296
