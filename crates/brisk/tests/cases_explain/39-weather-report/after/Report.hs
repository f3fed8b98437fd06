module Report (Summary, summarise, render) where

import Data.List (foldl')
import qualified Data.Map.Strict as Map

import Row

data Span = Span
  { low   :: !Int
  , high  :: !Int
  , total :: !Int
  , wet   :: !Int
  , count :: !Int
  }

type Summary = Map.Map String Span

summarise :: [Row] -> Summary
summarise = foldl' add Map.empty
  where
    add m r = Map.insertWith join (station r) (single r) m
    single r = Span (tenths r) (tenths r) (tenths r)
                    (if rainfall r > 0 then day r else 0) 1
    join a b = Span (min (low a) (low b)) (max (high a) (high b))
                    (total a + total b) (max (wet a) (wet b)) (count a + count b)

render :: Summary -> [String]
render = map line . Map.toList
  where
    line (name, s) = name ++ ": " ++ unwords
      [ show (low s), show (total s `div` count s), show (high s)
      , "last rain on day", show (wet s) ]
