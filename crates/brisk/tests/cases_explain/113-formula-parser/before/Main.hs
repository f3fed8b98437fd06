module Main (main) where

import qualified Data.Map.Strict as Map
import qualified Data.Set as Set
import System.Environment (getArgs)
import Text.Parsec (parse)

import Formula
import Parse

sheet :: Int -> [(String, String)]
sheet n = [ ('A' : show i, body i) | i <- [1 .. n] ]
  where
    body i = nest i (6 + i `mod` 3) ++ reference i
    reference i
      | i > 1 = " + A" ++ show (1 + (i * 7) `mod` (i - 1))
      | otherwise = ""

nest :: Int -> Int -> String
nest i 0 = show (i `mod` 97)
nest i d
  | even (i + d) = "(" ++ nest i (d - 1) ++ " + " ++ show d ++ ")"
  | otherwise = "(" ++ nest i (d - 1) ++ " * " ++ show (d + 1) ++ ")"

main :: IO ()
main = do
  [arg] <- getArgs
  go Map.empty 0 (sheet (read arg))
  where
    go values refs [] = do
      putStrLn ("cells: " ++ show (Map.size values))
      putStrLn ("references: " ++ show (refs :: Int))
      putStrLn ("total: " ++ show (sum (Map.elems values)))
    go values refs ((name, src) : rest) =
      case parse formula name src of
        Left err -> print err
        Right f ->
          let v = evaluate (\c -> Map.findWithDefault 0 c values) f
              refs' = refs + Set.size (variables f)
          in refs' `seq` go (Map.insert name v values) refs' rest
