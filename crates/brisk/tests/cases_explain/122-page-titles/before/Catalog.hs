module Catalog (Entry(..), Catalog, index, titleOf) where

import qualified Data.ByteString.Char8 as C
import           Data.List (foldl')
import qualified Data.Map.Strict as M

data Entry = Entry
  { title    :: !C.ByteString
  , checksum :: !Int
  }

type Catalog = M.Map Int Entry

titleOf :: C.ByteString -> C.ByteString
titleOf = C.drop 7 . C.takeWhile (/= '\n')

bodySum :: C.ByteString -> Int
bodySum = C.foldl' (\h c -> (h * 31 + fromEnum c) `mod` 65521) 7

index :: [(Int, C.ByteString)] -> Catalog
index = foldl' add M.empty
  where
    add m (k, page) = M.insert k (Entry (titleOf page) (bodySum page)) m
