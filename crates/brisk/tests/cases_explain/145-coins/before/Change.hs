module Change (Purse, purse, ways) where

import Data.Array
import Data.List (foldl')

newtype Purse = Purse [Int]

purse :: [Int] -> Purse
purse = Purse . filter (> 0)

modulus :: Int
modulus = 1000000007

-- Number of ways to pay the amount, the order of coins mattering.
ways :: Purse -> Int -> Int
ways (Purse coins) amount = table ! amount
  where
    table = listArray (0, amount) (map count [0 .. amount]) :: Array Int Int
    count 0 = 1
    count a = foldl' plus 0 [table ! (a - c) | c <- coins, c <= a]
    plus x y = (x + y) `mod` modulus
