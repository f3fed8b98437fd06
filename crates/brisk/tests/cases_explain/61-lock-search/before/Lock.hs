-- | Model of a dial lock: every dial carries a handful of symbols and some
-- combinations are rejected by the mechanism.
module Lock (Dial, Code, dials, combinations, acceptable, fingerprint) where

import Data.Char (ord)
import Data.List (foldl')

type Dial = String
type Code = String

-- | All dials of a lock, slightly different from each other.
dials :: Int -> [Dial]
dials n = take n (cycle ["abcd", "wxyz", "mnop"])

-- | Every code that can be set on the given dials, in dictionary order of
-- the dial positions.
combinations :: [Dial] -> [Code]
combinations = sequence

-- | The lock refuses codes whose symbol sum is a multiple of the divisor.
acceptable :: Int -> Code -> Bool
acceptable d code = sum (map ord code) `mod` d /= 0

fingerprint :: Code -> Int
fingerprint = foldl' (\h c -> (h * 31 + ord c) `mod` 1000003) 7
