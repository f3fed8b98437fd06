-- | How long a call may run.
--
-- A budget is an action that an evaluator runs when it has used up what it was
-- given: the answer is how many more loop iterations and calls it may make, and
-- none means that it has to stop. Evaluators count only those two, because
-- everything else of a module ends by itself.
module Wasm.Budget
  ( Budget
  , unlimited
  , fuel
  , seconds
  , both
  ) where

import Data.IORef (newIORef, readIORef, writeIORef)
import GHC.Clock (getMonotonicTime)

type Budget = IO Int

unlimited :: Budget
unlimited = pure maxBound

-- | So many iterations and calls, once.
fuel :: Int -> IO Budget
fuel n = do
  left <- newIORef n
  pure $ do
    have <- readIORef left
    let given = min slice have
    writeIORef left (have - given)
    pure given

-- | So long, from now on.
seconds :: Double -> IO Budget
seconds s = do
  start <- getMonotonicTime
  pure $ do
    now <- getMonotonicTime
    pure (if now - start < s then slice else 0)

-- | Whichever ends first. Each answers with slices of one size, so that the
-- smaller answer is right for both.
both :: Budget -> Budget -> Budget
both a b = min <$> a <*> b

-- | How much is given at once: enough that asking the clock costs nothing
-- beside it, even for an evaluator that needs ten nanoseconds an iteration;
-- little enough that one which needs a millisecond still stops in time.
slice :: Int
slice = 1000
