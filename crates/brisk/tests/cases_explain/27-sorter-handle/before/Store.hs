module Store
  ( Store (..)
  , newStore
  ) where

import Data.Array.IO (IOUArray, newArray)
import Data.Array.Base (unsafeRead, unsafeWrite)

-- | What an algorithm may do with the cells, whoever keeps them.
data Store = Store
  { readAt :: Int -> IO Int
  , writeAt :: Int -> Int -> IO ()
  }

newStore :: Int -> IO Store
newStore n = do
  cells <- newArray (0, n - 1) 0 :: IO (IOUArray Int Int)
  return
    Store
      { readAt = unsafeRead cells
      , writeAt = unsafeWrite cells
      }
