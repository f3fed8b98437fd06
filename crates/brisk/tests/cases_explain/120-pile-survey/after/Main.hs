module Main (main) where

import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

import Piles

survey :: Piles -> Int -> Map.Map Int Int
survey piles limit = Map.fromListWith (+)
  [ (pilings piles n `mod` 10, 1) | n <- [1 .. limit] ]

firstDivisible :: Piles -> Int -> Int -> Maybe Int
firstDivisible piles limit d =
  case [ n | n <- [1 .. limit], pilings piles n `mod` d == 0 ] of
    n : _ -> Just n
    [] -> Nothing

main :: IO ()
main = do
  [arg] <- getArgs
  let limit = read arg
      piles = pilesUpTo limit
  mapM_ (\(d, c) -> putStrLn ("ends in " ++ show d ++ ": " ++ show c))
        (Map.toList (survey piles limit))
  mapM_ (\d -> putStrLn ("divisible by " ++ show d ++ ": "
                         ++ maybe "none" show (firstDivisible piles limit d)))
        [10, 100, 1000]
