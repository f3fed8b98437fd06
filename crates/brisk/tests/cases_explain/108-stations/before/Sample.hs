{-# LANGUAGE OverloadedStrings #-}
module Sample (sampleFeed) where

import qualified Data.ByteString.Builder as BB
import qualified Data.ByteString.Char8 as B
import qualified Data.ByteString.Lazy as L

-- | A day's feed as the collector delivers it.
sampleFeed :: Int -> B.ByteString
sampleFeed n = L.toStrict (BB.toLazyByteString ("# station;minute;t;w\n" <> foldMap row [0 .. n - 1]))
  where
    row i = BB.byteString (names !! (i `mod` 5)) <> semi
         <> BB.intDec (i `div` 5) <> semi
         <> BB.intDec ((i * 7919) `mod` 520 - 150) <> semi
         <> BB.intDec ((i * 104729) `mod` 140) <> BB.char7 '\n'
    semi  = BB.char7 ';'
    names = ["Arkona", "Brocken", "Fichtelberg", "Helgoland", "Zugspitze"]
