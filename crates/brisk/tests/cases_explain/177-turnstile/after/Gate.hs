module Gate (Gate, Ticket(..), emptyGate, admit, inside, refused) where

import qualified Data.Set as S

import Journal

data Ticket = Ticket
  { ticketNo :: !Int
  , zone     :: !Char
  }

data Gate = Gate
  { admitted :: !(S.Set Int)
  , refused  :: !Int
  }

emptyGate :: Gate
emptyGate = Gate S.empty 0

inside :: Gate -> Int
inside = S.size . admitted

admit :: Journal -> Gate -> Ticket -> IO Gate
admit journal gate (Ticket no z)
  | z == 'X' = do
      note journal Alarm ("forged ticket " ++ show no)
      return gate { refused = refused gate + 1 }
  | no `S.member` admitted gate = do
      note journal Info ("ticket " ++ show no ++ " leaves zone " ++ [z])
      return gate { admitted = S.delete no (admitted gate) }
  | otherwise = do
      note journal Debug ("scanned " ++ show no)
      note journal Info ("ticket " ++ show no ++ " enters zone " ++ [z])
      return gate { admitted = S.insert no (admitted gate) }
