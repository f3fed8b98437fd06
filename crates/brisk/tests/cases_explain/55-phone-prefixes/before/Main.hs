module Main (main) where

import qualified Data.Map.Strict as Map
import Prefixes
import System.Environment (getArgs)

data Call = Call { dialled :: String, seconds :: Int }

calls :: Int -> [Call]
calls n = [ Call (dial k) (20 + (k * 131) `mod` 600) | k <- [1 .. n] ]
  where
    dial k
      | even k = "00" ++ digits k
      | otherwise = "+" ++ digits k
    digits k = show (10000000 + (k * 7654321) `mod` 89999999)

bill :: (String -> Zone) -> [Call] -> Map.Map String Int
bill zone cs = Map.fromListWith (+)
  [ (zoneName z, tariff z * seconds c) | c <- cs, let z = zone (dialled c) ]

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 900
      account = bill (zoneOf (zones 2000)) (calls n)
  putStrLn (show (Map.size account) ++ " zones called")
  putStrLn ("total " ++ show (sum account))
  putStrLn ("default zone " ++ show (Map.findWithDefault 0 "default" account))
