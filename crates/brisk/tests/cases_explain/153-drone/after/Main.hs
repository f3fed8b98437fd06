module Main (main) where

import Control.Monad.Trans.Writer.CPS (runWriter)
import System.Environment (getArgs)

import Flight

depot :: Place
depot = Place 0 0

orders :: Int -> [Order]
orders n = go n 4711
  where
    go :: Int -> Int -> [Order]
    go 0 _ = []
    go k s =
      let s1 = next s
          s2 = next s1
          s3 = next s2
      in Order (Place (s1 `mod` 120 - 60) (s2 `mod` 120 - 60)) (s3 `mod` 9)
           : go (k - 1) s3
    next :: Int -> Int
    next s = (s * 16807 + 11) `mod` 2147483647

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
      (Place x y, flight) = runWriter $ do
        lastStop <- deliver depot (orders n)
        fly 0 lastStop depot
  putStrLn ("orders delivered: " ++ show (landings flight))
  putStrLn ("steps flown:      " ++ show (steps flight))
  putStrLn ("energy used:      " ++ show (energy flight))
  putStrLn ("farthest point:   " ++ show (highest flight))
  putStrLn ("parked at:        " ++ show (x, y))
