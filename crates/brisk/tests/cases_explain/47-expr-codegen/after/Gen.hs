-- | Code generation as data: a description of what is emitted, to be run by
-- whoever knows where the instructions go.
module Gen (Gen, emit, freshLabel, runGen) where

import Control.Monad (ap, liftM)

data Code i
  = Done
  | Emit i (Code i)
  | Fresh (Int -> Code i)

newtype Gen i a = Gen { unGen :: (a -> Code i) -> Code i }

instance Functor (Gen i) where
  fmap = liftM

instance Applicative (Gen i) where
  pure a = Gen (\k -> k a)
  (<*>) = ap

instance Monad (Gen i) where
  g >>= f = Gen (\k -> unGen g (\a -> unGen (f a) k))

emit :: i -> Gen i ()
emit i = Gen (\k -> Emit i (k ()))

freshLabel :: Gen i Int
freshLabel = Gen Fresh

-- | The instructions in order.
runGen :: Gen i a -> [i]
runGen gen = go 0 (unGen gen (const Done))
  where
    go _ Done       = []
    go n (Emit i g) = i : go n g
    go n (Fresh f)  = go (n + 1) (f n)
