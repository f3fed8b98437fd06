module Game where

import Control.Monad.State.Strict

data Monster = Rat | Goblin | Troll deriving (Show, Eq, Enum, Bounded)

data Event
  = Walk Int
  | Fight Monster
  | Find Int
  | Rest
  deriving Show

data Hero = Hero
  { steps    :: !Int
  , gold     :: !Int
  , xp       :: !Int
  , wounds   :: !Int
  , slain    :: !Int
  } deriving Show

type Game = State Hero

newHero :: Hero
newHero = Hero 0 0 0 0 0

reward :: Monster -> Int
reward Rat    = 1
reward Goblin = 5
reward Troll  = 40

damage :: Monster -> Int
damage m = 1 + reward m `div` 4

walk :: Int -> Game ()
walk n = modify' (\h -> h { steps = steps h + n })

fight :: Monster -> Game ()
fight m = do
  modify' (\h -> h { xp = xp h + reward m, slain = slain h + 1 })
  modify' (\h -> h { wounds = wounds h + damage m })

collect :: Int -> Game ()
collect n = modify' (\h -> h { gold = gold h + n })

rest :: Game ()
rest = modify' (\h -> h { wounds = max 0 (wounds h - 3) })

turn :: Event -> Game ()
turn (Walk n)  = walk n
turn (Fight m) = fight m
turn (Find n)  = collect n
turn Rest      = rest

play :: [Event] -> Hero
play es = execState (mapM_ turn es) newHero
