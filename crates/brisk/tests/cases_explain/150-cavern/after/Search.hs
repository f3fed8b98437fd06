module Search (lowestRisk) where

import Cavern
import qualified Data.Set as S

type Agenda = S.Set (Int, Pos)

start :: Pos -> Agenda
start p = S.singleton (0, p)

schedule :: [(Int, Pos)] -> Agenda -> Agenda
schedule new agenda = foldr S.insert agenda new

next :: Agenda -> Maybe ((Int, Pos), Agenda)
next = S.minView

lowestRisk :: Cavern -> Pos -> Pos -> Maybe Int
lowestRisk c from to = go S.empty (start from)
  where
    go closed agenda = case next agenda of
      Nothing -> Nothing
      Just ((cost, p), rest)
        | p == to -> Just cost
        | p `S.member` closed -> go closed rest
        | otherwise ->
            let new = [(cost + risk c q, q) | q <- neighbours c p, not (q `S.member` closed)]
            in go (S.insert p closed) (schedule new rest)
