{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import Data.List (mapAccumL)
import qualified Data.Map.Strict as Map
import qualified Data.Text as T
import Data.Text (Text)
import System.Environment (getArgs)

import Eval
import Lexer

source :: Int -> Text
source n = T.unlines (map line [1 .. n])
  where
    name i = T.append "value-" (shown i)
    shown = T.pack . show
    line i = T.concat
      [ "(define ", name i, " (+ ", shown i, " (* ", name (i - 1), " "
      , shown (i `mod` 13), ") (if ", name (i `div` 2), " 3 5))) ; step ", shown i ]

main :: IO ()
main = do
  [arg] <- getArgs
  let tokens = tokenize (source (read arg))
      (env, results) = mapAccumL eval Map.empty (parseAll tokens)
  putStrLn (show (length tokens) ++ " tokens")
  putStrLn (show (Map.size env) ++ " definitions")
  putStrLn ("last " ++ show (last results) ++ ", largest " ++ show (maximum results))
