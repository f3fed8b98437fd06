module Change (Coins, fewest, describe) where

import Data.Array
import Data.List (foldl')

type Coins = [Int]

-- | The least number of coins that make up an amount, if there is a way:
-- for all amounts up to the given one.
fewest :: Coins -> Int -> Array Int (Maybe Int)
fewest coins limit = table
  where
    table = listArray (0, limit) (map best [0 .. limit])

    best 0 = Just 0
    best a = foldl' better Nothing [ table ! (a - c) | c <- coins, c <= a ]

    better acc Nothing = acc
    better Nothing (Just k) = Just $! k + 1
    better (Just m) (Just k) = Just $! min m (k + 1)

describe :: Int -> Maybe Int -> String
describe amount = maybe (show amount ++ ": no way") line
  where line k = show amount ++ ": " ++ show k ++ (if k == 1 then " coin" else " coins")
