module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

import Lock

data Tally = Tally
  { accepted :: !Int
  , refused  :: !Int
  , checksum :: !Int
  }

survey :: Int -> [Code] -> Tally
survey d = foldl' note (Tally 0 0 0)
  where
    note t code
      | acceptable d code =
          t { accepted = accepted t + 1
            , checksum = (checksum t + fingerprint code) `mod` 1000003 }
      | otherwise = t { refused = refused t + 1 }

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
            (a:_) -> read a
            []    -> 11
      t = survey 7 (combinations (dials n))
  putStrLn ("dials:    " ++ show n)
  putStrLn ("accepted: " ++ show (accepted t))
  putStrLn ("refused:  " ++ show (refused t))
  putStrLn ("checksum: " ++ show (checksum t))
