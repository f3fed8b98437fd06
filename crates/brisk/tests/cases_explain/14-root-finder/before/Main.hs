module Main (main) where

import Numeric.Poly
import System.Environment (getArgs)

curve :: Int -> Poly Double
curve i = poly [fromIntegral (negate (i `mod` 50) - 1), 1.5, 0.25, fromIntegral (i `mod` 3), 1]

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 20000
      roots = [bisect (curve i) 0 50 60 | i <- [1 .. n]]
      total = sum roots
  putStrLn ("roots " ++ show (length roots))
  putStrLn ("sum   " ++ show (fromIntegral (round (total * 1000) :: Int) / 1000 :: Double))
