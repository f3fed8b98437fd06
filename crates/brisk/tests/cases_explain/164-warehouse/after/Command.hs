{-# LANGUAGE RankNTypes #-}
module Command (Program, liftCommand, interpret) where

newtype Program f a = Program
  { runProgram :: forall r. (a -> r) -> (f r -> r) -> r }

instance Functor (Program f) where
  fmap f (Program p) = Program (\done perform -> p (done . f) perform)

instance Applicative (Program f) where
  pure a = Program (\done _ -> done a)
  Program p <*> Program q =
    Program (\done perform -> p (\f -> q (done . f) perform) perform)

instance Monad (Program f) where
  Program p >>= k =
    Program (\done perform -> p (\a -> runProgram (k a) done perform) perform)

liftCommand :: Functor f => f a -> Program f a
liftCommand x = Program (\done perform -> perform (fmap done x))

interpret :: Monad m => (forall x. f x -> m x) -> Program f a -> m a
interpret step (Program p) = p return (\x -> step x >>= id)
