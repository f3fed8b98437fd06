module Free
  ( Free
  , Tree (..)
  , liftF
  , toTree
  ) where

-- | Programs as trees of commands.
data Tree f a
  = Done a
  | Step (f (Tree f a))

newtype Free f a = Free (Tree f a)

instance Functor f => Functor (Tree f) where
  fmap g (Done a) = Done (g a)
  fmap g (Step t) = Step (fmap (fmap g) t)

graft :: Functor f => Tree f a -> (a -> Tree f b) -> Tree f b
graft (Done a) k = k a
graft (Step t) k = Step (fmap (`graft` k) t)

instance Functor f => Functor (Free f) where
  fmap g (Free t) = Free (fmap g t)

instance Functor f => Applicative (Free f) where
  pure a = Free (Done a)
  mf <*> ma = mf >>= \g -> fmap g ma

instance Functor f => Monad (Free f) where
  Free t >>= k = Free (graft t (toTree . k))

liftF :: Functor f => f a -> Free f a
liftF fa = Free (Step (fmap Done fa))

toTree :: Free f a -> Tree f a
toTree (Free t) = t
