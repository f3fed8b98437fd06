module Passages (Passage (..), passages) where

data Passage = Passage
  { minute :: !Int   -- ^ of the day
  , vehicles :: !Int
  }

-- | What the counting loops of a crossroads report in a week.
passages :: Int -> [Passage]
passages n = go n 20210304
  where
    go 0 _ = []
    go left seed = Passage (rush (seed `div` 7)) (1 + seed `mod` 5) : go (left - 1) seed'
      where
        seed' = (seed * 16807) `mod` 2147483647 :: Int

    rush r
      | even r = (r `div` 2) `mod` 1440
      | otherwise = 420 + (r `div` 2) `mod` 120
