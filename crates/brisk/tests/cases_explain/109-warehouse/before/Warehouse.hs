{-# LANGUAGE BangPatterns   #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric  #-}
module Warehouse (Event (..), Shelf (..), Warehouse (..), newWarehouse, runEvents) where

import Control.DeepSeq
import qualified Data.Map as M
import GHC.Generics (Generic)

data Shelf = Shelf
  { pieces   :: Int
  , reserved :: Int
  , moves    :: Int
  } deriving (Generic, NFData)

data Warehouse = Warehouse
  { shelves  :: M.Map Int Shelf
  , rejected :: Int
  } deriving (Generic, NFData)

data Event
  = Deliver Int Int
  | Reserve Int Int
  | Ship Int Int

newWarehouse :: Int -> Warehouse
newWarehouse n = Warehouse (M.fromList [ (i, Shelf 20 0 0) | i <- [1 .. n] ]) 0

apply :: Event -> Shelf -> Maybe Shelf
apply ev s = case ev of
  Deliver _ k -> Just s { pieces = pieces s + k, moves = moves s + 1 }
  Reserve _ k
    | pieces s - reserved s >= k -> Just s { reserved = reserved s + k, moves = moves s + 1 }
  Ship _ k
    | reserved s >= k -> Just s { pieces = pieces s - k, reserved = reserved s - k, moves = moves s + 1 }
  _ -> Nothing

place :: Event -> Int
place (Deliver i _) = i
place (Reserve i _) = i
place (Ship i _)    = i

step :: Warehouse -> Event -> Warehouse
step w ev = force $ case M.lookup (place ev) (shelves w) >>= apply ev of
  Just s  -> w { shelves = M.insert (place ev) s (shelves w) }
  Nothing -> w { rejected = rejected w + 1 }

runEvents :: Warehouse -> [Event] -> Warehouse
runEvents !w []        = w
runEvents !w (ev : es) = runEvents (step w ev) es
