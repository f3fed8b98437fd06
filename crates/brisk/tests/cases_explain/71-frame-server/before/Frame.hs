module Frame
  ( Frame (..)
  , Opcode (..)
  , Mask
  , MaskGen
  , newMaskGen
  , randomMask
  , encodeFrame
  ) where

import Data.Bits (shiftL, shiftR, xor, (.&.))
import qualified Data.ByteString as B
import Data.Word (Word32, Word64, Word8)

data Opcode = TextFrame | BinaryFrame | Ping | Pong
  deriving (Eq, Show, Enum)

data Frame = Frame
  { frameOpcode  :: !Opcode
  , framePayload :: !B.ByteString
  }

type Mask = Word32

-- | State of the generator of masking keys (two halves of a xorshift).
data MaskGen = MaskGen !Word64 !Word64

newMaskGen :: Int -> MaskGen
newMaskGen seed = MaskGen (fromIntegral seed * 0x9E3779B97F4A7C15 + 1) 0x2545F4914F6CDD1D

-- | A masking key is put together from two draws.
randomMask :: MaskGen -> (MaskGen, Mask)
randomMask gen = (gen2, (hi `shiftL` 16) `xor` lo)
  where
    (hi, gen1) = draw gen
    (lo, gen2) = draw gen1

draw :: MaskGen -> (Word32, MaskGen)
draw (MaskGen a b) = (fromIntegral ((b + c) `shiftR` 16), MaskGen b c)
  where
    a1 = a `xor` (a `shiftL` 23)
    c  = a1 `xor` b `xor` (a1 `shiftR` 18) `xor` (b `shiftR` 5)

-- | Clients mask their payload, servers do not.
encodeFrame :: Maybe Mask -> Frame -> B.ByteString
encodeFrame mask (Frame op payload) = B.append header body
  where
    header = B.pack [fromIntegral (fromEnum op) + 0x80, fromIntegral (B.length payload)]
    body   = maybe payload (`applyMask` payload) mask

applyMask :: Mask -> B.ByteString -> B.ByteString
applyMask m = snd . B.mapAccumL step (0 :: Int)
  where
    step i w = (i + 1, w `xor` keyByte (i .&. 3))
    keyByte i = fromIntegral (m `shiftR` (8 * i)) :: Word8
