{-# LANGUAGE OverloadedStrings #-}
module Statement (renderStatement) where

import Data.List (foldl')
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Data.Text.Lazy.Builder (Builder, fromText, toLazyText)
import Account

data Page = Page
  { body    :: !Builder
  , balance :: !Int
  }

money :: Int -> Text
money c = sign <> T.pack (show (abs c `div` 100)) <> "." <> T.justifyRight 2 '0' (T.pack (show (abs c `mod` 100)))
  where sign = if c < 0 then "-" else ""

renderLine :: Int -> Booking -> Text
renderLine total b = T.concat
  [ T.justifyRight 4 ' ' (T.pack (show (day b)))
  , "  "
  , T.justifyLeft 20 ' ' (T.pack (partner b))
  , T.justifyRight 12 ' ' (money (cents b))
  , T.justifyRight 14 ' ' (money total)
  , "\n"
  ]

-- | The whole account statement, one line for each booking.
renderStatement :: Text -> [Booking] -> Text
renderStatement owner bs = TL.toStrict . toLazyText $
  body page <> "\nClosing balance: " <> fromText (money (balance page)) <> "\n"
  where
    start = Page ("Statement for " <> fromText owner <> "\n\n") 0
    page  = foldl' add start bs
    add (Page text total) b =
      let total' = total + cents b
      in Page (text <> fromText (renderLine total' b)) total'
