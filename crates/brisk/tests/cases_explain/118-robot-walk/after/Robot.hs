module Robot
  ( Robot(..)
  , Command(..)
  , perform
  , commands
  ) where

import Control.Monad (foldM)
import Control.Monad.State.Strict

import Tally

data Command = Forward | TurnLeft | TurnRight
  deriving (Eq, Show)

data Robot = Robot
  { posX, posY :: !Int
  , dirX, dirY :: !Int
  } deriving Show

-- | Follow the orders in a walled yard and keep count of what happened.
perform :: Robot -> [Command] -> State Tally Robot
perform = foldM obey

obey :: Robot -> Command -> State Tally Robot
obey r TurnLeft = do
  note turned
  return r { dirX = negate (dirY r), dirY = dirX r }
obey r TurnRight = do
  note turned
  return r { dirX = dirY r, dirY = negate (dirX r) }
obey r Forward
  | inside x && inside y = do
      note moved
      return r { posX = x, posY = y }
  | otherwise = do
      note bumped
      return r
  where
    x = posX r + dirX r
    y = posY r + dirY r
    inside k = k >= 0 && k < 40

note :: Tally -> State Tally ()
note t = modify' (<> t)

commands :: Int -> [Command]
commands n = go n 2463534242
  where
    go :: Int -> Int -> [Command]
    go 0 _ = []
    go k s = pick (s `div` 65536 `mod` 6) : go (k - 1) ((s * 1103515245 + 12345) `mod` 4294967296)
    pick :: Int -> Command
    pick 0 = TurnLeft
    pick 1 = TurnRight
    pick _ = Forward
