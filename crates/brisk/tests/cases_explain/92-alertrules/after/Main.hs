module Main (main) where

import qualified Data.Map as Map
import System.Environment (getArgs)

import Rule
import RuleParser

-- | The text of a file of alert rules, as an editor of dashboards writes it.
rulesText :: Int -> String
rulesText n = unlines [ rule (3 + i `mod` 4) i ++ ";" | i <- [1 .. n] ]

rule :: Int -> Int -> String
rule 0 i = metric i ++ " < " ++ show (i * 37 `mod` 100)
rule d i
  | even (d + i) = "(" ++ rule (d - 1) (i + 1) ++ " and " ++ metric (i + d) ++ " > " ++ show (i `mod` 90) ++ ")"
  | i `mod` 3 == 0 = "!(" ++ rule (d - 1) (i + 1) ++ ")"
  | otherwise = "(" ++ rule (d - 1) (i + 2) ++ " or " ++ metric i ++ " = " ++ show (i `mod` 50) ++ ")"

metric :: Int -> String
metric i = ["cpu.load", "disk.free", "net.errors", "mem.used", "queue.size"] !! (i `mod` 5)

machines :: [(String, Map.Map String Int)]
machines =
  [ ("host-" ++ show k, Map.fromList [ (metric j, (k * 31 + j * 17) `mod` 100) | j <- [0 .. 4] ])
  | k <- [1 .. 8 :: Int]
  ]

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  case parseRules (rulesText n) of
    Left err -> print err
    Right rs -> do
      putStrLn (show (length rs) ++ " rules, " ++ show (sum (map size rs)) ++ " nodes")
      mapM_
        (\(h, env) -> putStrLn (h ++ ": " ++ show (length (filter (holds env) rs)) ++ " alerts"))
        machines
