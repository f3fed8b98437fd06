module Main (main) where

import Data.List (unfoldr)
import System.Environment (getArgs)
import Text.Printf (printf)

import Ledger

-- Postings as they arrive from the clearing house.
clearing :: Int -> Int -> [Posting]
clearing accounts count = take count (unfoldr step 4711)
  where
    step s0 =
      let s1 = next s0
          s2 = next s1
          s3 = next s2
          p = Posting
            { fromAcc = (s1 `div` 16) `mod` accounts
            , toAcc   = (s2 `div` 16) `mod` accounts
            , cents   = 1 + (s3 `div` 16) `mod` 9000
            }
      in Just (p, s3)
    next :: Int -> Int
    next s = (s * 1103515245 + 12345) `mod` 2147483648

describe :: String -> Ledger -> [String]
describe title ledger =
  [ title
  , printf "  total      %d" (accountTotal ledger)
  , printf "  overdrawn  %d" (length over)
  , printf "  first      %s" (unwords (map line (take 4 over)))
  ]
  where
    over = overdrawn ledger
    line i = show i ++ ":" ++ show (balanceOf ledger i)

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
      start = opening n 4000
      postings = clearing n (2 * n)
      (morning, evening) = splitAt n postings
      noon = postAll start morning
      night = postAll noon evening
  mapM_ putStrLn (describe "opening" start)
  mapM_ putStrLn (describe "noon" noon)
  mapM_ putStrLn (describe "night" night)
