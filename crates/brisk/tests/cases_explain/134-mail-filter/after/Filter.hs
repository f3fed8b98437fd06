module Filter (BlockList, blockList, blockedCount, allowed) where

import Data.Set (Set)
import qualified Data.Set as Set
import Mail

newtype BlockList = BlockList (Set Address)

blockList :: [Address] -> BlockList
blockList = BlockList . Set.fromList

blockedCount :: BlockList -> Int
blockedCount (BlockList s) = Set.size s

allowed :: BlockList -> Mail -> Bool
allowed (BlockList blocked) mail
  | weight mail > 45 = False
  | otherwise = from mail `Set.notMember` blocked
