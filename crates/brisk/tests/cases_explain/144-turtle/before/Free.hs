module Free (Free, liftF, foldFree) where

data Free f a = Pure a | Roll (f (Free f a))

instance Functor f => Functor (Free f) where
  fmap g (Pure a) = Pure (g a)
  fmap g (Roll x) = Roll (fmap (fmap g) x)

instance Functor f => Applicative (Free f) where
  pure = Pure
  Pure g <*> m = fmap g m
  Roll x <*> m = Roll (fmap (<*> m) x)

instance Functor f => Monad (Free f) where
  Pure a >>= k = k a
  Roll x >>= k = Roll (fmap (>>= k) x)

liftF :: Functor f => f a -> Free f a
liftF = Roll . fmap Pure

foldFree :: Functor f => (a -> r) -> (f r -> r) -> Free f a -> r
foldFree done _ (Pure a) = done a
foldFree done alg (Roll x) = alg (fmap (foldFree done alg) x)
