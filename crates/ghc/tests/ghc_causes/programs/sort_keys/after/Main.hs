module Main (main) where

import Data.Char (isAlpha, toLower)
import Data.List (sortOn)

data Song = Song
  { title :: String
  , plays :: !Int
  }

ranking :: [Song] -> [Song]
ranking = sortOn (sortTitle . title)

sortTitle :: String -> String
sortTitle = map toLower . filter isAlpha . dropArticle
  where
    dropArticle ('T' : 'h' : 'e' : ' ' : rest) = rest
    dropArticle name = name
{-# NOINLINE sortTitle #-}

songs :: [Song]
songs = [Song ("The song " ++ name k ++ " of " ++ name (k * 7)) k | k <- [1 .. 2000]]
  where
    name k = [toEnum (97 + (k * p) `mod` 26) | p <- [3, 5, 11, 17]]
{-# NOINLINE songs #-}

main :: IO ()
main = print (sum (zipWith (*) [1 ..] (map plays (ranking songs))))
