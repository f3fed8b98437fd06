module Main where

import Data.Char (ord)
import Data.List (foldl')
import System.Environment (getArgs)

import Manifest
import Plan

main :: IO ()
main = do
  n <- maybe 5000 read . firstOf <$> getArgs
  let targets = parseManifest (sampleManifest n)
      plan = relinkPlan 400 targets
  putStrLn $ show (length targets) ++ " targets, " ++ show (length plan) ++ " commands"
  putStrLn $ "longest command: " ++ show (maximum (map length plan))
  putStrLn $ "plan hash: " ++ show (foldl' hash 5381 (unlines plan))
  putStrLn (last plan)
  where
    firstOf (x : _) = Just x
    firstOf []      = Nothing
    hash h c = (h * 33 + ord c) `mod` 1000000007
