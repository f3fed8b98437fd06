module Cipher (Key, sessionKey, seal) where

import Data.Bits (xor)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Packet

newtype Key = Key ByteString

sessionKey :: Int -> Key
sessionKey seed = Key (B.pack (map fromIntegral (take 24 (iterate (\x -> x * 75 `mod` 65537) seed))))

applyKey :: ByteString -> ByteString -> ByteString
applyKey key text = B.pack (zipWith xor (cycle (B.unpack key)) (B.unpack text))

seal :: Key -> Packet -> Packet
seal (Key key) p = p { payload = applyKey rotated (payload p) }
  where
    rotated = B.drop r key <> B.take r key
    r = serial p `mod` B.length key
