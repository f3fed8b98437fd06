module Main (main) where

import Data.List (foldl')

data Node
  = Leaf
  | Node Node Int Int Node

insert :: Int -> Int -> Node -> Node
insert key value node = case node of
  Leaf -> Node Leaf key value Leaf
  Node left here old right
    | key < here -> Node (insert key value left) here old right
    | key > here -> Node left here old (insert key value right)
    | otherwise -> Node left key value right

find :: Int -> Node -> Int
find _ Leaf = 0
find key (Node left here value right)
  | key < here = find key left
  | key > here = find key right
  | otherwise = value

type Tariff = [(Int, Int)]

price :: Tariff -> Int -> Int
price tariff = \parcel -> parcel + find (parcel `mod` 97) zones
  where
    zones = foldl' (\node (from, cost) -> insert from cost node) Leaf tariff
{-# NOINLINE price #-}

tariffOf :: Int -> Tariff
tariffOf size = [((k * 37) `mod` 97, k) | k <- [1 .. size]]
{-# NOINLINE tariffOf #-}

bill :: Tariff -> [Int] -> Int
bill tariff = foldl' (\sum' parcel -> sum' + priceOf parcel) 0
  where
    priceOf = price tariff
{-# NOINLINE bill #-}

main :: IO ()
main = print (bill (tariffOf 96) [1 .. 3000])
