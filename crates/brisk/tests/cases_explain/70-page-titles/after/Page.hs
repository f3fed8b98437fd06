{-# LANGUAGE OverloadedStrings #-}
module Page (Page, fetch, title, weight) where

import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as BC
import Data.ByteString (ByteString)

type Page = ByteString

-- | Stands for a download: a page with a title and a lot of markup.
fetch :: Int -> Page
fetch k = B.concat
  [ "<html><head><title>Report ", BC.pack (show k), " of section "
  , BC.pack (show (k `mod` 23)), "</title></head><body>"
  , fst (BC.unfoldrN 100000 markup (k * 7 + 1))
  , "</body></html>"
  ]
  where
    markup s = let s' = (s * 75 + 74) `mod` 65537
               in Just (BC.index "<p>lorem ipsum</p> " (s' `mod` 19), s')

title :: Page -> ByteString
title page = B.copy (BC.takeWhile (/= '<') (B.drop (B.length mark) rest))
  where
    mark      = "<title>"
    (_, rest) = B.breakSubstring mark page

weight :: Page -> Int
weight = BC.count '<'
