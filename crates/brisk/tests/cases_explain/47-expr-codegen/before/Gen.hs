-- | Code generation as data: a description of what is emitted, to be run by
-- whoever knows where the instructions go.
module Gen (Gen, emit, freshLabel, runGen) where

import Control.Monad (ap, liftM)

data Gen i a
  = Done a
  | Emit i (Gen i a)
  | Fresh (Int -> Gen i a)

instance Functor (Gen i) where
  fmap = liftM

instance Applicative (Gen i) where
  pure = Done
  (<*>) = ap

instance Monad (Gen i) where
  Done a   >>= k = k a
  Emit i g >>= k = Emit i (g >>= k)
  Fresh f  >>= k = Fresh (\n -> f n >>= k)

emit :: i -> Gen i ()
emit i = Emit i (Done ())

freshLabel :: Gen i Int
freshLabel = Fresh Done

-- | The instructions in order.
runGen :: Gen i a -> [i]
runGen = go 0
  where
    go _ (Done _)   = []
    go n (Emit i g) = i : go n g
    go n (Fresh f)  = go (n + 1) (f n)
