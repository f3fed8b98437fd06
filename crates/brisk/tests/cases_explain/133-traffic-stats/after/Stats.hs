module Stats (Stats (..), collect) where

import Control.Monad (when)
import Control.Monad.State.Strict (State, execState, modify')
import Requests

data Stats = Stats
  { hits :: !Int
  , bytesSent :: !Int
  , failures :: !Int
  , slowest :: !Int
  }

record :: Request -> State Stats ()
record r = do
  modify' $ \s -> s
    { hits = hits s + 1
    , bytesSent = bytesSent s + size r
    , slowest = max (slowest s) (micros r)
    }
  when (status r >= 500) $
    modify' $ \s -> s { failures = failures s + 1 }

collect :: [Request] -> Stats
collect rs = execState (mapM_ record rs) (Stats 0 0 0 0)
