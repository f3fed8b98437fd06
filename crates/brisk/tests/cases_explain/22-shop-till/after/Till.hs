module Till
  ( Till (..)
  , Purchase (..)
  , openTill
  , ring
  ) where

import Control.Monad (when)
import Control.Monad.State.Strict

data Purchase = Purchase
  { price :: !Int
  , quantity :: !Int
  , member :: !Bool
  }

-- | What the till shows at the end of the day.
data Till = Till
  { sales :: !Int
  , items :: !Int
  , takings :: !Int
  , rebates :: !Int
  }

openTill :: Till
openTill = Till {sales = 0, items = 0, takings = 0, rebates = 0}

ring :: Purchase -> State Till ()
ring p = do
  modify' $ \t ->
    t
      { sales = sales t + 1
      , items = items t + quantity p
      , takings = takings t + quantity p * price p
      }
  when (member p) (modify' (\t -> t {rebates = rebates t + price p `div` 20}))
