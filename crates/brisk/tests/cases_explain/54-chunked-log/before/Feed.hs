module Feed (chunk) where

import qualified Data.ByteString.Builder as BB
import qualified Data.ByteString.Char8 as B
import qualified Data.ByteString.Lazy as L

-- | One hour of an access log, as it comes from the collector.
chunk :: Int -> B.ByteString
chunk hour = L.toStrict . BB.toLazyByteString $ foldMap line [1 .. 6000]
  where
    line k = BB.string7 "2021-03-04T" <> BB.intDec (hour `mod` 24)
      <> BB.string7 " GET /item/" <> BB.intDec item
      <> BB.string7 " status=" <> BB.intDec (status item)
      <> BB.string7 " trace=" <> BB.word64HexFixed (fromIntegral (item * 40503 + hour))
      <> BB.char7 '\n'
      where
        item = (k * 7919 + hour * 104729) `mod` 50021
    status item
      | item `mod` 997 == 0 = 500 :: Int
      | item `mod` 31 == 0 = 404
      | otherwise = 200
