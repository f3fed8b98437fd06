module Main (main) where

import Data.List (intercalate)
import System.Environment (getArgs)

import Suggest

syllables :: [String]
syllables =
  [ "ba", "ker", "lo", "min", "ta", "ries", "con", "der", "us", "ple"
  , "mar", "vel", "ous", "ni", "Gra", "ton", "fi", "sh" ]

dictionary :: Int -> [Entry]
dictionary n = [ Entry (spell k) (k * 7919 `mod` 1009) | k <- [1 .. n] ]

spell :: Int -> String
spell k = concat [ pick a, pick b, pick c, pick d ]
  where
    m = length syllables
    pick i = syllables !! (i `mod` m)
    a = k
    b = k `div` m + 3 * k
    c = k `div` (m * m) + 5 * k + k `div` 7
    d = k * k + k `div` 11

typos :: [String]
typos = ["bakerlomn", "cnderuston", "marveluos", "fishtonies"]

render :: String -> Entry -> String
render typed e =
  entryWord e ++ " (" ++ show (penEdits p) ++ ", seen " ++ show (entryCount e) ++ ")"
  where p = penalty typed e

main :: IO ()
main = do
  [arg] <- getArgs
  let dict = dictionary (read arg)
  putStrLn ("dictionary of " ++ show (length dict) ++ " words")
  mapM_ (answer dict) typos
  where
    answer dict typed = do
      let ranked = rank dict typed
      putStrLn (typed ++ " -> " ++ intercalate ", " (map (render typed) (take 5 ranked)))
      putStrLn ("  least likely " ++ render typed (last ranked))
