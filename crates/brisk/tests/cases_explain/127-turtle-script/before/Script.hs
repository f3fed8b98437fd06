{-# LANGUAGE DeriveFunctor #-}
module Script (Script, Command(..), forward, turn, heading, foldScript) where

data Command next
  = Forward Int next
  | Turn Int next
  | Heading (Int -> next)
  deriving Functor

data Script a
  = Done a
  | Step (Command (Script a))

instance Functor Script where
  fmap f (Done a) = Done (f a)
  fmap f (Step c) = Step (fmap (fmap f) c)

instance Applicative Script where
  pure = Done
  Done f <*> x = fmap f x
  Step c <*> x = Step (fmap (<*> x) c)

instance Monad Script where
  Done a >>= k = k a
  Step c >>= k = Step (fmap (>>= k) c)

forward, turn :: Int -> Script ()
forward n = Step (Forward n (Done ()))
turn n    = Step (Turn n (Done ()))

heading :: Script Int
heading = Step (Heading Done)

foldScript :: (a -> r) -> (Command r -> r) -> Script a -> r
foldScript done _    (Done a) = done a
foldScript done step (Step c) = step (fmap (foldScript done step) c)
