{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import Data.List (foldl', sortOn)
import qualified Data.Text.IO as T
import System.Environment (getArgs)
import Index
import Mail

main :: IO ()
main = do
  [arg] <- getArgs
  let index = foldl' addMessage emptyIndex (map incoming [1 .. read arg])
      ranked = sortOn (negate . snd) (senders index)
  putStrLn (show (length ranked) ++ " senders")
  mapM_ report (zip ranked [1 .. 5 :: Int])
  mapM_ T.putStrLn (subjects (fst (head ranked)) index)
  where
    report ((who, n), place) = do
      putStr (show place ++ ". ")
      T.putStrLn who
      putStrLn ("   " ++ show n)
