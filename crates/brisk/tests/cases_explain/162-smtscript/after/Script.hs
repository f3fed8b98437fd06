{-# LANGUAGE OverloadedStrings #-}
module Script (renderScript) where

import Data.List (foldl')
import Data.Text (Text)
import Data.Text.Lazy (toStrict)
import Data.Text.Lazy.Builder (Builder, fromText, toLazyText)
import Term

addLine :: Builder -> Text -> Builder
addLine doc line = doc <> fromText line

preamble :: [Text]
preamble = ["(set-logic QF_LIA)\n", "(set-option :produce-models true)\n"]

epilogue :: [Text]
epilogue = ["(check-sat)\n", "(get-model)\n", "(exit)\n"]

renderScript :: [Command] -> Text
renderScript cmds =
  toStrict . toLazyText $ foldl' addLine mempty (preamble ++ map renderCommand cmds ++ epilogue)
