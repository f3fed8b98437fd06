module Main (main) where

import Data.List (intercalate)
import System.Environment (getArgs)
import Filter
import FilterParser

-- | Saved searches, as users of the shop composed them.
savedSearch :: Int -> String
savedSearch k = group 4 k
  where
    group :: Int -> Int -> String
    group 0 i = field i ++ " and " ++ field (i + 1)
    group d i = intercalate (glue i)
      [ field (i + d), "(" ++ group (d - 1) (i * 3 + d) ++ ")" ]
    glue i = if even i then " or " else " and "
    field i = case i `mod` 4 of
      0 -> "price < " ++ show (i * 13 `mod` 500)
      1 -> "stock > " ++ show (i * 7 `mod` 90)
      2 -> "not rating = " ++ show (i `mod` 5)
      _ -> "weight < " ++ show (i * 31 `mod` 2000)

article :: Int -> String -> Int
article k name = case name of
  "price"  -> k * 37 `mod` 600
  "stock"  -> k * 11 `mod` 100
  "rating" -> k `mod` 5
  _        -> k * 53 `mod` 2500

main :: IO ()
main = do
  [arg] <- getArgs
  let searches = map savedSearch [1 .. read arg]
  case mapM parseFilter searches of
    Left err -> print err
    Right fs -> do
      putStrLn (show (sum (map size fs)) ++ " nodes")
      let hits f = length [ () | k <- [1 .. 20], matches (article k) f ]
      putStrLn (unwords (map (show . hits) (take 20 fs)))
      putStrLn (show (sum (map hits fs)) ++ " hits")
