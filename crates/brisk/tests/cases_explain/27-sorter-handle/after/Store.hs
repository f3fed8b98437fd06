module Store
  ( Store
  , newStore
  , readAt
  , writeAt
  ) where

import Data.Array.IO (IOUArray, newArray)
import Data.Array.Base (unsafeRead, unsafeWrite)

-- | The cells an algorithm works on.
newtype Store = Store (IOUArray Int Int)

newStore :: Int -> IO Store
newStore n = Store <$> newArray (0, n - 1) 0

readAt :: Store -> Int -> IO Int
readAt (Store cells) i = unsafeRead cells i

writeAt :: Store -> Int -> Int -> IO ()
writeAt (Store cells) i x = unsafeWrite cells i x
