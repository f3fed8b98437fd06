module Message (Message (..), Point (..), message, encodeMessage) where

import Data.Bits (shiftR)
import qualified Data.ByteString as B
import qualified Data.ByteString.Builder as BB
import qualified Data.ByteString.Lazy as BL

import Decoder

data Point = Point { px :: !Int, py :: !Int, label :: !Int }
  deriving Show

data Message
  = Track Int [Point]
  | Heartbeat Int
  deriving Show

message :: Decoder Message
message = do
  tag <- byte
  case tag of
    1 -> Track <$> word16 <*> listOf point
    2 -> Heartbeat <$> word16
    _ -> failWith ("unknown tag " ++ show tag)

point :: Decoder Point
point = Point <$> word16 <*> word16 <*> (fromIntegral <$> byte)

-- | The encoding in chunks of 100 bytes, as they'd come from a socket.
encodeMessage :: Message -> [B.ByteString]
encodeMessage = chunks . BL.toStrict . BB.toLazyByteString . build
  where
    build (Heartbeat t) = BB.word8 2 <> w16 t
    build (Track t ps)  = BB.word8 1 <> w16 t <> w16 (length ps) <> foldMap buildPoint ps
    buildPoint (Point x y l) = w16 x <> w16 y <> BB.word8 (fromIntegral l)
    w16 n = BB.word8 (fromIntegral (n `shiftR` 8)) <> BB.word8 (fromIntegral n)
    chunks b | B.null b  = []
             | otherwise = let (x, y) = B.splitAt 100 b in x : chunks y
