{-# LANGUAGE OverloadedStrings #-}
module Render (renderHtml) where

import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import qualified Data.Text.Lazy.Builder as B

import Lexer

renderHtml :: [Token] -> TL.Text
renderHtml = B.toLazyText . block

block :: [Token] -> B.Builder
block [] = mempty
block (Newline : ts) = block ts
block (Heading n : ts) =
  tag ("h" <> T.pack (show n)) (inline False line) <> block rest
  where (line, rest) = break (== Newline) ts
block ts = tag "p" (inline False line) <> block rest
  where (line, rest) = break (== Newline) ts

inline :: Bool -> [Token] -> B.Builder
inline bold toks = case toks of
  []             -> if bold then "</b>" else mempty
  Star : ts      -> (if bold then "</b>" else " <b>") <> inline (not bold) ts
  Word w : ts    -> " " <> B.fromText w <> inline bold ts
  Punct c : ts   -> escape c <> inline bold ts
  Heading n : ts -> B.fromText (T.replicate n "#") <> inline bold ts
  Newline : ts   -> inline bold ts

escape :: Char -> B.Builder
escape '<' = "&lt;"
escape '>' = "&gt;"
escape '&' = "&amp;"
escape c   = B.singleton c

tag :: T.Text -> B.Builder -> B.Builder
tag name body =
  "<" <> B.fromText name <> ">" <> body <> "</" <> B.fromText name <> ">\n"
