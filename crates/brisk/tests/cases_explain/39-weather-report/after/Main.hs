module Main (main) where

import Data.Either (partitionEithers)
import Data.List (intercalate)
import System.Environment (getArgs)

import Report
import Row

-- The file that the stations deliver.
delivery :: Int -> String
delivery n = unlines (map row [0 .. n - 1])
  where
    row k | k `mod` 5000 == 4999 = "# end of batch"
          | otherwise = intercalate ";"
              [ names !! (k `mod` 5), show (k `div` 5)
              , show ((k * 7919 + k `div` 11) `mod` 520 - 170)
              , show (max 0 ((k * 613) `mod` 90 - 60)) ]
    names = ["Adlerhorst", "Bergwald", "Hafen", "Moor", "Seeblick"]

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        a : _ -> read a
        []    -> 110000
      (bad, rows) = partitionEithers (map parseRow (lines (delivery n)))
  mapM_ putStrLn (render (summarise rows))
  putStrLn (show (length bad) ++ " lines skipped")
