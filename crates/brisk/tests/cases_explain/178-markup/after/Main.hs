{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import qualified Data.Text.Lazy.IO as TL
import System.Environment (getArgs)

import Lexer
import Render

manual :: Int -> T.Text
manual n = T.concat (map section [1 .. n])
  where
    section k = T.concat
      [ "## Chapter ", T.pack (show k), "\n"
      , "The *quick* brown fox, number ", T.pack (show (k * 17 `mod` 23))
      , ", jumps over <", animals !! (k `mod` 3), "> & rests.\n"
      ]
    animals = ["the lazy dog", "a *sleeping* cat", "nothing"]

main :: IO ()
main = do
  [arg] <- getArgs
  let tokens = tokenize (manual (read arg))
      html = renderHtml tokens
  putStrLn (show (length tokens) ++ " tokens, "
            ++ show (length (filter (== Star) tokens)) ++ " stars")
  putStrLn (show (TL.length html) ++ " characters of html")
  mapM_ TL.putStrLn (take 4 (TL.lines html))
