{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import qualified Data.Text as T
import qualified Data.Text.IO as T
import           System.Environment (getArgs)

import           Invoice

order :: Int -> [Item]
order n =
  [ Item (names !! (k `mod` length names)) (1 + k `mod` 7) (99 + (k * 57) `mod` 4000)
  | k <- [1 .. n] ]
  where
    names = ["hinge", "wood screw 4x40", "hammer", "spirit level", "paint brush"]

main :: IO ()
main = do
  [a] <- getArgs
  let doc = render "Ada Byron" (order (read a))
  print (T.length doc)
  print (T.foldl' (\h c -> (h * 31 + fromEnum c) `mod` 1000003) 7 doc)
  T.putStr (T.takeEnd 60 doc)
