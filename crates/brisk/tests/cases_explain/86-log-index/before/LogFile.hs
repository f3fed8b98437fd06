{-# LANGUAGE OverloadedStrings #-}
module LogFile (LogFile, generate, errorCount, session, user) where

import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as B

type LogFile = ByteString

-- | Stands for reading the n-th file of a directory.
generate :: Int -> LogFile
generate n = B.concat (header : map line [1 .. 400])
  where
    header = B.unwords ["#session", B.pack ("s" ++ show (n * 7919 `mod` 100003)), "user", num (n `mod` 37)] <> "\n"
    line i
      | (n + i) `mod` 23 == 0 = "ERROR disk quota exceeded while writing block " <> num i <> "\n"
      | even i                = "INFO  request served from the local cache\n"
      | otherwise             = "DEBUG heartbeat of the worker received in time\n"
    num = B.pack . show

errorCount :: LogFile -> Int
errorCount = length . filter ("ERROR" `B.isPrefixOf`) . B.lines

headerWord :: Int -> LogFile -> ByteString
headerWord k file = case drop k (B.words (B.takeWhile (/= '\n') file)) of
  w : _ -> w
  []    -> B.empty

session, user :: LogFile -> ByteString
session = headerWord 1
user    = headerWord 3
