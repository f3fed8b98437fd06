{-# LANGUAGE OverloadedStrings #-}
module Canvas (Draw, Style (..), runDraw, group, circle, line) where

import Control.Monad.State.Strict
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Lazy as L
import qualified Data.Text.Lazy.Builder as B

data Canvas = Canvas
  { nesting :: !Int
  , written :: !B.Builder
  }

type Draw = State Canvas

data Style = Style { stroke :: Text, fill :: Text }

runDraw :: Draw () -> Text
runDraw act = L.toStrict (B.toLazyText (written (execState act (Canvas 0 mempty))))

put1 :: Text -> Draw ()
put1 t = modify' $ \c ->
  c { written = written c <> B.fromText (T.replicate (nesting c) "  " <> t <> "\n") }

group :: Text -> Draw a -> Draw a
group name body = do
  put1 ("<g id=\"" <> name <> "\">")
  modify' (\c -> c { nesting = nesting c + 1 })
  r <- body
  modify' (\c -> c { nesting = nesting c - 1 })
  put1 "</g>"
  pure r

attr :: Text -> Int -> Text
attr k v = T.concat [" ", k, "=\"", T.pack (show v), "\""]

styled :: Style -> Text
styled s = T.concat [" stroke=\"", stroke s, "\" fill=\"", fill s, "\"/>"]

circle :: Style -> (Int, Int) -> Int -> Draw ()
circle s (x, y) r = put1 ("<circle" <> attr "cx" x <> attr "cy" y <> attr "r" r <> styled s)

line :: Style -> (Int, Int) -> (Int, Int) -> Draw ()
line s (x1, y1) (x2, y2) =
  put1 ("<line" <> attr "x1" x1 <> attr "y1" y1 <> attr "x2" x2 <> attr "y2" y2 <> styled s)
