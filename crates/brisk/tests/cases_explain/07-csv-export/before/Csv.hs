{-# LANGUAGE OverloadedStrings #-}

module Csv (Row, encode) where

import Data.List (foldl')
import qualified Data.Text as T

type Row = [T.Text]

-- | A whole CSV file: the header line and then one line for each row.
encode :: Row -> [Row] -> T.Text
encode header rows = foldl' addLine (line header) rows
  where
    addLine file row = file <> line row

line :: Row -> T.Text
line cells = T.intercalate "," (map field cells) <> "\r\n"

field :: T.Text -> T.Text
field t
  | T.any special t = "\"" <> T.replace "\"" "\"\"" t <> "\""
  | otherwise = t
  where
    special c = c == ',' || c == '"' || c == '\n'
