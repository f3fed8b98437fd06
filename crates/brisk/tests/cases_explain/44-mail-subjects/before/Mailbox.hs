{-# LANGUAGE OverloadedStrings #-}
module Mailbox (Header (..), parseHeader, incoming) where

import Data.Maybe (listToMaybe, mapMaybe)
import Data.Text (Text)
import qualified Data.Text as T

data Header = Header
  { messageId :: !Text
  , subject   :: !Text
  } deriving (Eq, Ord)

-- | Reads the two headers that the index needs and ignores the body.
parseHeader :: Text -> Maybe Header
parseHeader raw = Header <$> field "Message-Id: " <*> field "Subject: "
  where
    headerLines = takeWhile (not . T.null) (T.lines raw)
    field name = listToMaybe (mapMaybe (T.stripPrefix name) headerLines)

-- | The i-th message as it comes over the wire.
incoming :: Int -> Text
incoming i = T.concat
  [ "From: user", num (i `mod` 371), "@example.org\n"
  , "Message-Id: <", num (i * 48271 `mod` 2147483647), "@mx", num (i `mod` 7), ">\n"
  , "Subject: ", topic, " #", num (i `div` 4), "\n\n"
  , T.replicate (20 + i `mod` 40) bodyLine
  ]
  where
    num = T.pack . show
    topic = ["Invoice", "Re: build failure", "Minutes", "Out of office"] !! (i `mod` 4)
    bodyLine = "Lorem ipsum dolor sit amet, consectetur adipiscing elit.\n"
