{-# LANGUAGE RankNTypes #-}
module Free (Free, liftF, foldFree) where

newtype Free f a = Free (forall r. (a -> r) -> (f r -> r) -> r)

instance Functor (Free f) where
  fmap g (Free m) = Free (\done alg -> m (done . g) alg)

instance Applicative (Free f) where
  pure a = Free (\done _ -> done a)
  Free mf <*> Free ma = Free (\done alg -> mf (\g -> ma (done . g) alg) alg)

instance Monad (Free f) where
  Free m >>= k = Free (\done alg -> m (\a -> case k a of Free n -> n done alg) alg)

liftF :: Functor f => f a -> Free f a
liftF x = Free (\done alg -> alg (fmap done x))

foldFree :: Functor f => (a -> r) -> (f r -> r) -> Free f a -> r
foldFree done alg (Free m) = m done alg
