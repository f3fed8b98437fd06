{-# LANGUAGE RankNTypes #-}
module Command (Program, liftCommand, interpret) where

data Program f a
  = Done a
  | Perform (f (Program f a))

instance Functor f => Functor (Program f) where
  fmap f (Done a)    = Done (f a)
  fmap f (Perform x) = Perform (fmap (fmap f) x)

instance Functor f => Applicative (Program f) where
  pure = Done
  Done f    <*> p = fmap f p
  Perform x <*> p = Perform (fmap (<*> p) x)

instance Functor f => Monad (Program f) where
  Done a    >>= k = k a
  Perform x >>= k = Perform (fmap (>>= k) x)

liftCommand :: Functor f => f a -> Program f a
liftCommand x = Perform (fmap Done x)

interpret :: Monad m => (forall x. f x -> m x) -> Program f a -> m a
interpret _    (Done a)    = return a
interpret step (Perform x) = step x >>= interpret step
