module Queue
  ( Queue
  , fromList
  , push
  , pop
  ) where

import qualified Data.Sequence as Seq
import Data.Sequence (Seq, ViewL (..), viewl, (|>))

-- | First in, first out.
newtype Queue a = Queue (Seq a)

fromList :: [a] -> Queue a
fromList = Queue . Seq.fromList

push :: a -> Queue a -> Queue a
push x (Queue xs) = Queue (xs |> x)

pop :: Queue a -> Maybe (a, Queue a)
pop (Queue q) = case viewl q of
  EmptyL -> Nothing
  x :< xs -> Just (x, Queue xs)
