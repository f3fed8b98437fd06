module Universe where

import           Data.IntMap.Strict (IntMap)
import qualified Data.IntMap.Strict as IntMap

newtype StarId = StarId Int

data Star = Star
  { starName  :: String
  , starClass :: Char
  , starMetal :: Double
  , starShips :: Int
  }

data Universe = Universe
  { universeTick  :: !Int
  , universeStars :: !(IntMap Star)
  }

bigBang :: Int -> Universe
bigBang n = Universe 0 (IntMap.fromList [ (i, mk i) | i <- [0 .. n - 1] ])
  where
    mk i = Star
      { starName  = "HD-" ++ show (1000 + i)
      , starClass = "OBAFGKM" !! (i `mod` 7)
      , starMetal = fromIntegral (1000000 + i)
      , starShips = 0
      }

overStar :: (Star -> Star) -> StarId -> Universe -> Universe
overStar f (StarId i) u = u { universeStars = IntMap.adjust f i (universeStars u) }

tick :: Universe -> Universe
tick u = u { universeTick = universeTick u + 1 }

mine :: Double -> Star -> Star
mine amount s = s { starMetal = starMetal s - amount }

launch :: Int -> Star -> Star
launch k s = s { starShips = starShips s + k }
