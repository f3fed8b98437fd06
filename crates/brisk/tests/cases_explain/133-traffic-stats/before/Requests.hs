module Requests (Request (..), requests) where

import Data.Bits (shiftR, (.&.))

data Request = Request
  { status :: !Int
  , size :: !Int
  , micros :: !Int
  }

requests :: Int -> [Request]
requests n = map make (take n (iterate next 2021))
  where
    next s = (s * 1103515245 + 12345) .&. 0x7fffffff
    make s = Request
      { status = if s `shiftR` 8 .&. 31 == 0 then 500 else 200
      , size = s `shiftR` 4 .&. 4095
      , micros = s `shiftR` 12 .&. 65535
      }
