module Walk (Position, walk) where

import Data.Bits (shiftR, xor)
import Data.Word (Word64)

type Position = Int

xorshift :: Word64 -> Word64
xorshift s0 = s2 `xor` (s2 * 0x20000 )
  where
    s1 = s0 `xor` (s0 * 0x2000)
    s2 = s1 `xor` (s1 `shiftR` 7)

-- | Where a drunkard is after each of n steps.
walk :: Word64 -> Int -> [Position]
walk seed n = go n (xorshift seed) 0
  where
    go 0 _ _ = []
    go k s here =
      let here' = if s `shiftR` 63 == 0 then here + 1 else here - 1
      in here' `seq` (here' : go (k - 1) (xorshift s) here')
