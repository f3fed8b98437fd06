{-# LANGUAGE OverloadedStrings #-}
module Packet (Packet (..), capture, parsePacket) where

import Data.Bits ((.&.))
import qualified Data.ByteString.Char8 as B
import Data.ByteString.Internal (w2c)

data Packet = Packet
  { packetSession :: !B.ByteString
  , packetSum     :: !Int
  }

-- | The raw packets of a capture, each as one buffer: a header line with the
-- session, then the payload.
capture :: Int -> [B.ByteString]
capture n = map raw [1 .. n]

raw :: Int -> B.ByteString
raw i = B.concat [ "session=", B.pack (show (i * 7919 `mod` 100003)), "\n", payload i ]

payload :: Int -> B.ByteString
payload i = fst (B.unfoldrN 24000 next i)
  where
    next x = Just (w2c (32 + fromIntegral (x .&. 63)), (x * 75 + 74) .&. 65535)

parsePacket :: B.ByteString -> Maybe Packet
parsePacket buffer = do
  rest <- B.stripPrefix "session=" header
  return Packet { packetSession = B.copy rest, packetSum = checksum (B.drop 1 body) }
  where
    (header, body) = B.break (== '\n') buffer

checksum :: B.ByteString -> Int
checksum = B.foldl' (\s c -> (s * 33 + fromEnum c) .&. 0xffffff) 1
