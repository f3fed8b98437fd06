module Pack (Item (..), bestValues) where

import Control.Monad
import Control.Monad.ST
import Data.Array.ST
import Data.Array.Unboxed

data Item = Item { weight :: !Int, value :: !Int }

-- | The best value for each capacity from 0 up to the limit,
-- every item used at most once.
bestValues :: Int -> [Item] -> UArray Int Int
bestValues limit items = runSTUArray $ do
  best <- newArray (0, limit) 0
  forM_ items $ \item ->
    forM_ [limit, limit - 1 .. weight item] $ \cap -> do
      without <- readArray best cap
      rest    <- readArray best (cap - weight item)
      writeArray best cap (max without (rest + value item))
  return best
