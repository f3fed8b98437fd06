module Galaxy
  ( StarId
  , Star (..)
  , Universe (..)
  , newUniverse
  , mineStar
  , visitStar
  ) where

import Data.IntMap.Strict (IntMap)
import qualified Data.IntMap.Strict as IntMap

type StarId = Int

data Star = Star
  { starName  :: !String
  , starMetal :: !Int
  , starShips :: !Int
  }

data Universe = Universe
  { universeStars :: !(IntMap Star)
  , universeTick  :: !Int
  }

newUniverse :: Int -> Universe
newUniverse n = Universe
  { universeStars = IntMap.fromList [ (i, Star ("star-" ++ show i) 1000000 0) | i <- [0 .. n - 1] ]
  , universeTick = 0
  }

-- | Take metal out of one star.
mineStar :: StarId -> Int -> Universe -> Universe
mineStar sid amount u = u
  { universeStars = IntMap.adjust dig sid (universeStars u)
  , universeTick = universeTick u + 1
  }
  where
    dig star = star { starMetal = starMetal star - amount }

-- | A ship calls at a star.
visitStar :: StarId -> Universe -> Universe
visitStar sid u = u { universeStars = IntMap.adjust dock sid (universeStars u) }
  where
    dock star = star { starShips = starShips star + 1 }
