module Cave (Cave, Pos(..), dig, open, side, neighbours) where

import Data.Array.Unboxed

data Pos = Pos { row :: !Int, col :: !Int }
  deriving (Eq, Ord, Show)

newtype Cave = Cave (UArray (Int, Int) Bool)

-- | A cave with scattered pillars; the outer wall is solid.
dig :: Int -> Cave
dig n = Cave $ listArray ((0, 0), (n - 1, n - 1))
  [ inside r c && not (pillar r c) | r <- [0 .. n - 1], c <- [0 .. n - 1] ]
  where
    inside r c = r > 0 && c > 0 && r < n - 1 && c < n - 1
    pillar r c = (r, c) /= (1, 1) && (r * 73 + c * 151 + r * c * 29) `mod` 17 < 4

side :: Cave -> Int
side (Cave a) = let (_, (r, _)) = bounds a in r + 1

open :: Cave -> Pos -> Bool
open (Cave a) (Pos r c) = a ! (r, c)

neighbours :: Cave -> Pos -> [Pos]
neighbours cave (Pos r c) =
  filter (open cave) [Pos (r - 1) c, Pos r (c + 1), Pos (r + 1) c, Pos r (c - 1)]
