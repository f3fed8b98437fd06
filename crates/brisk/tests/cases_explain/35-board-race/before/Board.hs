module Board (Board(..), land, classic, slippery, generous) where

import qualified Data.IntMap as IM

data Board = Board
  { title :: String
  , goal  :: Int
  , jumps :: IM.IntMap Int
  }

land :: Board -> Int -> Int
land b p = IM.findWithDefault p p (jumps b)

classic, slippery, generous :: Board
classic = Board "classic" 100 $ IM.fromList
  [(1,38),(4,14),(9,31),(21,42),(28,84),(51,67),(80,99)
  ,(17,7),(54,34),(62,19),(64,60),(87,36),(93,73),(95,75)]
slippery = Board "slippery" 100 $ IM.fromList
  [(8,30),(33,70),(46,5),(48,9),(52,11),(59,17),(83,19),(89,51),(92,88),(98,28)]
generous = Board "generous" 64 $ IM.fromList
  [(2,20),(13,33),(25,44),(40,58),(61,35)]
