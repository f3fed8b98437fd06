{-# LANGUAGE OverloadedStrings #-}
module Invoice (Item(..), lineTotal, render) where

import           Data.List (foldl')
import           Data.Text (Text)
import qualified Data.Text as T

data Item = Item
  { article  :: !Text
  , quantity :: !Int
  , cents    :: !Int
  }

lineTotal :: Item -> Int
lineTotal i = quantity i * cents i

number :: Int -> Text
number = T.pack . show

money :: Int -> Text
money c = number (c `div` 100) <> "." <> T.justifyRight 2 '0' (number (c `mod` 100))

renderItem :: Item -> Text
renderItem i = T.concat
  [ T.justifyLeft 24 ' ' (article i)
  , T.justifyRight 5 ' ' (number (quantity i))
  , T.justifyRight 12 ' ' (money (lineTotal i))
  , "\n" ]

render :: Text -> [Item] -> Text
render customer items = body <> "TOTAL " <> money (sum (map lineTotal items)) <> "\n"
  where
    header = "Invoice for " <> customer <> "\n"
    body   = foldl' (\doc i -> doc <> renderItem i) header items
