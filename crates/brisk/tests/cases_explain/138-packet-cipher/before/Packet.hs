module Packet (Packet (..), makePacket, checksum) where

import Data.ByteString (ByteString)
import qualified Data.ByteString as B

data Packet = Packet { serial :: !Int, payload :: !ByteString }

makePacket :: Int -> Packet
makePacket k = Packet k (fst (B.unfoldrN (900 + k `mod` 400) byte k))
  where byte s = Just (fromIntegral (s `div` 7), s + 13)

checksum :: ByteString -> Int
checksum = B.foldl' (\h b -> (h + fromIntegral b) * 3 `rem` 65521) 1
