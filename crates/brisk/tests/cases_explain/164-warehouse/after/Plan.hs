{-# LANGUAGE DeriveFunctor #-}
module Plan where

import Command

type Shelf = (Int, Int)

data Robot next
  = Drive Shelf next
  | Pick Int (Int -> next)
  | Deliver Int next
  deriving (Functor)

data Order = Order { shelf :: Shelf, article :: Int, amount :: Int }

drive :: Shelf -> Program Robot ()
drive s = liftCommand (Drive s ())

pick :: Int -> Program Robot Int
pick n = liftCommand (Pick n id)

deliver :: Int -> Program Robot ()
deliver n = liftCommand (Deliver n ())

dock :: Shelf
dock = (0, 0)

serve :: Program Robot Int -> Order -> Program Robot Int
serve before order = do
  short <- before
  drive (shelf order)
  got <- pick (amount order)
  drive dock
  deliver got
  return $! short + (amount order - got)

planOrders :: [Order] -> Program Robot Int
planOrders = foldl serve (return 0)
