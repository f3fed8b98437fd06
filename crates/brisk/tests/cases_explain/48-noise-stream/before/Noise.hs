module Noise (noise) where

import Data.Bits (shiftL, shiftR, xor)
import Data.Word (Word32)

-- | Reproducible noise between 0 and 1.
noise :: [Double]
noise = map toUnit (iterate xorshift 2463534242)

xorshift :: Word32 -> Word32
xorshift x0 = x3
  where
    x1 = x0 `xor` (x0 `shiftL` 13)
    x2 = x1 `xor` (x1 `shiftR` 17)
    x3 = x2 `xor` (x2 `shiftL` 5)

toUnit :: Word32 -> Double
toUnit w = fromIntegral w / 4294967296
