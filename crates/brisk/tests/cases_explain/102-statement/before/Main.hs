{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import qualified Data.Text as T
import qualified Data.Text.IO as T
import System.Environment (getArgs)
import Account
import Statement

main :: IO ()
main = do
  [arg] <- getArgs
  let text = renderStatement "A. Lindgren" (bookings (read arg))
      rows = T.lines text
  mapM_ T.putStrLn (take 8 rows)
  T.putStrLn "..."
  mapM_ T.putStrLn (drop (length rows - 3) rows)
  putStrLn (show (T.length text) ++ " characters")
