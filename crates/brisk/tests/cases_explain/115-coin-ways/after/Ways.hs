module Ways (Coins, modulus, waysTable) where

import Control.Monad (forM_)
import Data.Array.Unboxed (UArray)
import Data.Array.ST (newArray, readArray, runSTUArray, writeArray)

type Coins = [Int]

modulus :: Int
modulus = 1000000007

-- | In how many ways each amount can be paid with the coins.
waysTable :: Coins -> Int -> UArray Int Int
waysTable coins top = runSTUArray $ do
  table <- newArray (0, top) 0
  writeArray table 0 1
  forM_ coins $ \coin ->
    forM_ [coin .. top] $ \amount -> do
      without <- readArray table amount
      with <- readArray table (amount - coin)
      writeArray table amount ((without + with) `mod` modulus)
  return table
