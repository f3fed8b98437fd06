{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import Control.Monad (foldM)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as B
import qualified Data.Map.Strict as M
import System.Environment (getArgs)

import Catalog

-- Stands for reading a document from the archive.
fetchDocument :: Int -> IO ByteString
fetchDocument i = return $! B.concat
  [ "Title: Report ", num i, "\n"
  , "Author: ", author, "\n\n"
  , fst (B.unfoldrN 12000 letter i)
  ]
  where
    num = B.pack . show
    author = case i `mod` 4 of
      0 -> "Ada"
      1 -> "Haskell"
      2 -> "Church"
      _ -> "Noether"
    letter s
      | s `mod` 6 == 0 = Just (' ', s + 1)
      | otherwise      = Just (toEnum (97 + s `mod` 26), s + 1)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of { (a : _) -> read a; _ -> 9000 } :: Int
  catalog <- foldM (\c i -> do { d <- fetchDocument i; return $! register i d c }) M.empty [1 .. n]
  putStrLn ("documents: " ++ show (M.size catalog))
  putStrLn ("words: " ++ show (sum (map entryWords (M.elems catalog))))
  let ada = titlesBy "Ada" catalog
  putStrLn ("by Ada: " ++ show (length ada))
  B.putStrLn (B.intercalate ", " (take 5 ada))
