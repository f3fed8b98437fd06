module Desk (Desk, Stats (..), newDesk, serve, stats) where

import Control.Monad.State.Strict

data Stats = Stats
  { served    :: Int
  , totalWait :: Int
  , totalTalk :: Int
  , angry     :: Int
  }

data Desk = Desk
  { clock  :: !Int
  , freeAt :: !Int
  , seed   :: !Int
  , stats  :: !Stats
  }

newDesk :: Int -> Desk
newDesk s = Desk 0 0 s (Stats 0 0 0 0)

-- | A random number below the bound.
roll :: Int -> State Desk Int
roll bound = do
  desk <- get
  let next = (seed desk * 1103515245 + 12345) `mod` 2147483648
  put desk { seed = next }
  return $! (next `div` 4096) `mod` bound

note :: Int -> Int -> State Desk ()
note wait talk = modify' $ \desk ->
  let st = stats desk
  in desk { stats = st
       { served    = served st + 1
       , totalWait = totalWait st + wait
       , totalTalk = totalTalk st + talk
       , angry     = if wait > 60 then angry st + 1 else angry st
       } }

-- | The next customer arrives, waits and is served.
serve :: State Desk ()
serve = do
  gap  <- roll 20
  talk <- roll 18
  desk <- get
  let arrival = clock desk + gap
      start   = max arrival (freeAt desk)
  put desk { clock = arrival, freeAt = start + talk }
  note (start - arrival) talk
