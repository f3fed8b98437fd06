{-# LANGUAGE OverloadedStrings #-}
module Script (renderScript) where

import Data.List (foldl')
import Data.Text (Text)
import qualified Data.Text as T
import Term

addLine :: Text -> Text -> Text
addLine doc line = doc <> line

preamble :: [Text]
preamble = ["(set-logic QF_LIA)\n", "(set-option :produce-models true)\n"]

epilogue :: [Text]
epilogue = ["(check-sat)\n", "(get-model)\n", "(exit)\n"]

renderScript :: [Command] -> Text
renderScript cmds =
  foldl' addLine T.empty (preamble ++ map renderCommand cmds ++ epilogue)
