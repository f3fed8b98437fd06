module Encoding (Text, between, text) where

-- A difference list of characters.
type Text = String -> String

text :: String -> Text
text = (++)

between :: Text -> [Text] -> Text
between _ [] = id
between _ [x] = x
between sign (x : xs) = x . sign . between sign xs
