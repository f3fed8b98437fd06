{-# LANGUAGE OverloadedStrings #-}
module Catalog
  ( Entry (..)
  , Catalog
  , describe
  , register
  , titlesBy
  ) where

import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as B
import qualified Data.Map.Strict as M

data Entry = Entry
  { entryTitle  :: !ByteString
  , entryAuthor :: !ByteString
  , entryWords  :: !Int
  }

type Catalog = M.Map Int Entry

-- | Takes what the catalogue shows from a document: the first two header lines
-- and the number of words of the body.
describe :: ByteString -> Maybe Entry
describe doc = do
  let (line1, rest1) = B.breakSubstring "\n" doc
      (line2, rest2) = B.breakSubstring "\n" (B.drop 1 rest1)
  title  <- B.stripPrefix "Title: " line1
  author <- B.stripPrefix "Author: " line2
  Just Entry
    { entryTitle  = title
    , entryAuthor = author
    , entryWords  = B.count ' ' rest2 + 1
    }

register :: Int -> ByteString -> Catalog -> Catalog
register key doc cat = maybe cat (\e -> M.insert key e cat) (describe doc)

titlesBy :: ByteString -> Catalog -> [ByteString]
titlesBy who cat = [entryTitle e | e <- M.elems cat, entryAuthor e == who]
