module Queue
  ( Queue
  , fromList
  , push
  , pop
  ) where

-- | First in, first out.
newtype Queue a = Queue [a]

fromList :: [a] -> Queue a
fromList = Queue

push :: a -> Queue a -> Queue a
push x (Queue xs) = Queue (xs ++ [x])

pop :: Queue a -> Maybe (a, Queue a)
pop (Queue []) = Nothing
pop (Queue (x : xs)) = Just (x, Queue xs)
