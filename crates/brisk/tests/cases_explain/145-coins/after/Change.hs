module Change (Purse, purse, ways) where

import Data.Array
import Data.List (foldl')

newtype Purse = Purse (Array Int Int)

modulus :: Int
modulus = 1000000007

purse :: Int -> [Int] -> Purse
purse top cs = Purse table
  where
    coins = filter (> 0) cs
    table = listArray (0, top) (map count [0 .. top])
    count 0 = 1
    count a = foldl' plus 0 [table ! (a - c) | c <- coins, c <= a]
    plus x y = (x + y) `mod` modulus

-- Number of ways to pay the amount, the order of coins mattering.
ways :: Purse -> Int -> Int
ways (Purse table) amount = table ! amount
