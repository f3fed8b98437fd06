module Console
  ( Console
  , ask
  , say
  , simulate
  ) where

import Free

data ConsoleF next
  = Ask Int (Int -> next)
  | Say Int next

instance Functor ConsoleF where
  fmap f (Ask q k) = Ask q (f . k)
  fmap f (Say x next) = Say x (f next)

type Console = Free ConsoleF

ask :: Int -> Console Int
ask q = liftF (Ask q id)

say :: Int -> Console ()
say x = liftF (Say x ())

-- | Answers the questions with repeatable noise; returns what was said.
simulate :: Int -> Console a -> (a, [Int])
simulate seed = go seed . toTree
  where
    go _ (Done a) = (a, [])
    go s (Step (Ask q k)) =
      let s' = (s * 69069 + q) `mod` 4294967296
       in go s' (k (s' `div` 65536 `mod` 100))
    go s (Step (Say x next)) =
      let (a, rest) = go s next
       in (a, x : rest)
