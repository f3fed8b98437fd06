{-# LANGUAGE OverloadedStrings #-}
module Mail (incoming) where

import Data.Text (Text)
import qualified Data.Text as T

-- | The n-th message as it arrives: headers, an empty line, the body.
incoming :: Int -> Text
incoming n = T.unlines
  [ "From: " <> sender <> "@example.org"
  , "Subject: Ticket " <> number <> " " <> topic
  , ""
  , T.replicate (20 + n `mod` 7) paragraph
  ]
  where
    number = T.pack (show n)
    sender = "user" <> T.pack (show (n * 7919 `mod` 5003))
    topic  = ["printer", "network", "password", "invoice"] !! (n `mod` 4)
    paragraph = "Dear team, it does not work any more since the update.\n"
