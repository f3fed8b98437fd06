module Window
  ( Window
  , new
  , push
  , full
  , average
  ) where

import qualified Data.Sequence as Seq
import Data.Sequence (Seq, ViewL (..), viewl, (|>))

-- | The last few values, oldest first, with their running total.
data Window = Window
  { capacity :: !Int
  , total :: !Int
  , values :: !(Seq Int)
  }

new :: Int -> Window
new n = Window n 0 Seq.empty

used :: Window -> Int
used w = Seq.length (values w)

full :: Window -> Bool
full w = used w >= capacity w

push :: Int -> Window -> Window
push x w
  | full w = case viewl (values w) of
      old :< rest -> w {total = total w - old + x, values = rest |> x}
      EmptyL -> w
  | otherwise = w {total = total w + x, values = values w |> x}

average :: Window -> Int
average w
  | Seq.null (values w) = 0
  | otherwise = total w `div` used w
