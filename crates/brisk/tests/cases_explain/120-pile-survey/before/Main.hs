module Main (main) where

import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

import Piles

survey :: Int -> Map.Map Int Int
survey limit = Map.fromListWith (+)
  [ (pilings n `mod` 10, 1) | n <- [1 .. limit] ]

firstDivisible :: Int -> Int -> Maybe Int
firstDivisible limit d =
  case [ n | n <- [1 .. limit], pilings n `mod` d == 0 ] of
    n : _ -> Just n
    [] -> Nothing

main :: IO ()
main = do
  [arg] <- getArgs
  let limit = read arg
  mapM_ (\(d, c) -> putStrLn ("ends in " ++ show d ++ ": " ++ show c))
        (Map.toList (survey limit))
  mapM_ (\d -> putStrLn ("divisible by " ++ show d ++ ": "
                         ++ maybe "none" show (firstDivisible limit d)))
        [10, 100, 1000]
