module Cipher (Key, sessionKey, seal) where

import Data.Bits (xor)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Packet

newtype Key = Key ByteString

sessionKey :: Int -> Key
sessionKey seed = Key (B.pack (map fromIntegral (take 24 (iterate (\x -> x * 75 `mod` 65537) seed))))

applyKey :: ByteString -> ByteString -> ByteString
applyKey key text = fst (B.unfoldrN (B.length text) byte 0)
  where
    n = B.length key
    byte i = Just (B.index key (i `rem` n) `xor` B.index text i, i + 1)

seal :: Key -> Packet -> Packet
seal (Key key) p = p { payload = applyKey rotated (payload p) }
  where
    rotated = B.drop r key <> B.take r key
    r = serial p `mod` B.length key
