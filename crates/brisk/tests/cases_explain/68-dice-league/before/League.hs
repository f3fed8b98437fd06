module League (Standing (..), season) where

import Control.Monad.State.Strict
import Data.List (foldl')

import Dice

data Standing = Standing
  { wins   :: !Int
  , draws  :: !Int
  , losses :: !Int
  , pips   :: !Int
  } deriving (Show)

-- | Play so many games and count them up.
season :: Int -> Table Standing
season n = do
  scores <- replicateM n game
  pure (foldl' book (Standing 0 0 0 0) scores)

book :: Standing -> Score -> Standing
book s (Score h a) = case compare h a of
    GT -> s' { wins = wins s + 1 }
    EQ -> s' { draws = draws s + 1 }
    LT -> s' { losses = losses s + 1 }
  where s' = s { pips = pips s + h + a }
