module Arena (Fighter(..), Arena(..), newArena, contest) where

import Control.Monad.Trans.Writer.CPS

import Tally

data Fighter = Fighter
  { name   :: !Int
  , health :: !Int
  , skill  :: !Int
  }

data Arena = Arena
  { red   :: !Fighter
  , blue  :: !Fighter
  , dice  :: !Int
  , wins  :: !Int
  }

newArena :: Arena
newArena = Arena (Fighter 1 90 11) (Fighter 2 90 9) 12345 0

roll :: Int -> Int
roll s = (s * 1103515245 + 12345) `mod` 2147483648

contest :: Int -> Arena -> (Arena, Tally)
contest n arena = runWriter (playRounds n arena)

playRounds :: Int -> Arena -> Writer Tally Arena
playRounds 0 arena = return arena
playRounds n arena = do
  arena' <- playRound arena
  playRounds (n - 1) arena'

playRound :: Arena -> Writer Tally Arena
playRound arena = do
  let s1 = roll (dice arena)
      s2 = roll s1
  blue' <- strike s1 (red arena) (blue arena)
  red'  <- strike s2 (blue arena) (red arena)
  settle arena { red = red', blue = blue', dice = s2 }

strike :: Int -> Fighter -> Fighter -> Writer Tally Fighter
strike s attacker defender
  | face > skill attacker = do
      tell miss
      return defender
  | otherwise = do
      tell (hit face)
      return defender { health = health defender - face }
  where
    face = 1 + (s `div` 65536) `mod` 20

settle :: Arena -> Writer Tally Arena
settle arena
  | health (blue arena) <= 0 = do
      tell defeat
      return arena { blue = refresh (blue arena), wins = wins arena + 1 }
  | health (red arena) <= 0 = do
      tell defeat
      return arena { red = refresh (red arena) }
  | otherwise = return arena
  where
    refresh f = f { name = name f + 2, health = 90 }
