module Main (main) where

import qualified Data.Map.Strict as Map
import System.Directory (getTemporaryDirectory, removeFile)
import System.Environment (getArgs)
import System.IO

import Journal

events :: Int -> [Entry]
events n = zipWith event [0 ..] (take n (iterate next 466))
  where
    next s = (s * 1664525 + 1013904223) `mod` 4294967296 :: Int
    event i s = Entry
      { minute  = i `div` 9
      , level   = case (s `div` 4096) `mod` 20 of { 0 -> Failure; 1 -> Warning; 2 -> Warning; _ -> Info }
      , machine = "press-" ++ show (1 + (s `div` 256) `mod` 6)
      , message = messages !! ((s `div` 65536) `mod` length messages)
      }
    messages = ["started", "stopped", "temperature read", "part rejected", "operator changed"]

tally :: [String] -> Map.Map (Level, String) Int
tally ls = Map.fromListWith (+) [(k, 1) | Just k <- map parseEntry ls]

main :: IO ()
main = do
  [arg] <- getArgs
  dir <- getTemporaryDirectory
  (path, h) <- openTempFile dir "shift.log"
  hClose h
  writeJournal path (events (read arg))
  text <- readFile path
  let counts = tally (lines text)
  mapM_ (\((l, m), k) -> putStrLn (show l ++ " " ++ m ++ ": " ++ show k)) (Map.toList counts)
  putStrLn (show (sum (Map.elems counts)) ++ " entries")
  removeFile path
