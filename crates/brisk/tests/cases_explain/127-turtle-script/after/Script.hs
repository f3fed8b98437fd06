{-# LANGUAGE DeriveFunctor #-}
{-# LANGUAGE RankNTypes #-}
module Script (Script, Command(..), forward, turn, heading, foldScript) where

data Command next
  = Forward Int next
  | Turn Int next
  | Heading (Int -> next)
  deriving Functor

newtype Script a = Script
  { unScript :: forall r. (a -> r) -> (Command r -> r) -> r }

instance Functor Script where
  fmap f m = Script (\done step -> unScript m (done . f) step)

instance Applicative Script where
  pure a = Script (\done _ -> done a)
  f <*> x = f >>= \g -> fmap g x

instance Monad Script where
  m >>= k = Script (\done step -> unScript m (\a -> unScript (k a) done step) step)

command :: Command a -> Script a
command c = Script (\done step -> step (fmap done c))

forward, turn :: Int -> Script ()
forward n = command (Forward n ())
turn n    = command (Turn n ())

heading :: Script Int
heading = command (Heading id)

foldScript :: (a -> r) -> (Command r -> r) -> Script a -> r
foldScript done step m = unScript m done step
