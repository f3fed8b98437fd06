module Noise (noise) where

import Data.Bits (shiftL, shiftR, xor)
import Data.Word (Word32)

-- | Reproducible noise between 0 and 1, made anew for each user.
noise :: Word32 -> [Double]
noise seed = map toUnit (iterate xorshift seed)

xorshift :: Word32 -> Word32
xorshift x0 = x3
  where
    x1 = x0 `xor` (x0 `shiftL` 13)
    x2 = x1 `xor` (x1 `shiftR` 17)
    x3 = x2 `xor` (x2 `shiftL` 5)

toUnit :: Word32 -> Double
toUnit w = fromIntegral w / 4294967296
