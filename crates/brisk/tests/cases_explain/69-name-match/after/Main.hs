module Main (main) where

import Data.List (sortOn, tails)
import System.Environment (getArgs)

import Distance

data Address = Address
  { ident  :: Int
  , street :: String
  }

addresses :: Int -> [Address]
addresses n = [ Address i (line i) | i <- [1 .. n] ]
  where
    line i = unwords
      [ pick i ["Upper", "Lower", "Old", "New", "North"]
      , pick (i * 3 + 1) ["Market", "Harbour", "Station", "Church", "Mill", "Castle", "Bridge"]
      , pick (i * 7 + 2) ["Street", "Road", "Lane"]
      , show (i * 37 `mod` 211)
      , "- care of"
      , pick (i * 11 + i `div` 5) ["Ferguson", "Abernathy", "Kowalski", "Lindqvist"]
      , "and", pick (i * i) ["Sons", "Daughters", "Company"]
      ]
    pick k xs = xs !! (k `mod` length xs)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of { (a : _) -> read a; [] -> 50 }
      candidates =
        [ (similarity (street a) (street b), ident a, ident b)
        | a : rest <- tails (addresses n), b <- rest ]
      best = sortOn (\(p, i, j) -> (negate p, i, j)) candidates
  mapM_ (\(p, i, j) -> putStrLn (show i ++ " ~ " ++ show j ++ ": " ++ show p ++ " %")) (take 4 best)
  putStrLn ("sum " ++ show (sum [ p | (p, _, _) <- candidates ]))
