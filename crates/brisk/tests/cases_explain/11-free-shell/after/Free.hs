{-# LANGUAGE RankNTypes #-}

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

-- | A tree that is told what to put in the place of its leaves.
newtype Free f a = Free (forall r. (a -> Tree f r) -> Tree f r)

instance Functor (Free f) where
  fmap g (Free m) = Free (\k -> m (k . g))

instance Applicative (Free f) where
  pure a = Free (\k -> k a)
  mf <*> ma = mf >>= \g -> fmap g ma

instance Monad (Free f) where
  Free m >>= next = Free (\k -> m (\a -> case next a of Free n -> n k))

liftF :: Functor f => f a -> Free f a
liftF fa = Free (\k -> Step (fmap k fa))

toTree :: Free f a -> Tree f a
toTree (Free m) = m Done
