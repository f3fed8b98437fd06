module Session
  ( Event(..), World(..), Session(..), emptyWorld, apply, active, topPages
  ) where

import Control.DeepSeq (NFData(..))
import Data.List (sortOn)
import qualified Data.Map.Strict as M

data Event
  = Visit !Int !Int     -- user, page
  | Logout !Int

data Session = Session
  { hitsSeen :: !Int
  , lastPage :: !Int
  }

data World = World
  { sessions :: !(M.Map Int Session)
  , pages    :: !(M.Map Int Int)
  , closed   :: !Int
  }

instance NFData Session where
  rnf (Session h p) = rnf h `seq` rnf p

instance NFData World where
  rnf (World s p c) = rnf s `seq` rnf p `seq` rnf c

emptyWorld :: World
emptyWorld = World M.empty M.empty 0

apply :: World -> Event -> World
apply w (Visit user page) = w
  { sessions = M.alter touch user (sessions w)
  , pages    = M.insertWith (+) page 1 (pages w)
  }
  where
    touch Nothing  = Just (Session 1 page)
    touch (Just s) = Just s { hitsSeen = hitsSeen s + 1, lastPage = page }
apply w (Logout user)
  | user `M.member` sessions w =
      w { sessions = M.delete user (sessions w), closed = closed w + 1 }
  | otherwise = w

active :: World -> Int
active = M.size . sessions

topPages :: Int -> World -> [(Int, Int)]
topPages n = take n . sortOn (negate . snd) . M.toList . pages
