module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

import Invoice

articles :: [String]
articles =
  [ "bolt M6", "washer", "hinge", "door handle", "wood screw", "plywood"
  , "paint white", "brush", "sandpaper", "glue" ]

items :: Int -> [Item]
items n = zipWith make [1 .. n] (tail (iterate next 99))
  where
    next :: Int -> Int
    next s = (s * 16807) `mod` 2147483647
    make k s = Item
      { position = k
      , article  = articles !! (s `mod` 10)
      , quantity = 1 + s `div` 10 `mod` 40
      , price    = 5 + s `div` 400 `mod` 9000
      }

-- An invoice has pages of fifty lines, each with its own carry.
pages :: [Item] -> [[Item]]
pages [] = []
pages is = let (p, rest) = splitAt 50 is in p : pages rest

printPage :: Cents -> [Item] -> IO Cents
printPage carried page = do
  mapM_ (putStrLn . renderItem) page
  let carry = foldl' (\acc i -> acc + amount i) carried page
  putStrLn (renderTotal (length page) carry)
  putStrLn ""
  return carry

main :: IO ()
main = do
  [arg] <- getArgs
  let go total []       = return total
      go total (p : ps) = do
        total' <- printPage total p
        go total' ps
  total <- go 0 (pages (items (read arg)))
  putStrLn ("due: " ++ show (total `div` 100))
