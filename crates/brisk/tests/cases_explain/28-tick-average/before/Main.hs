module Main (main) where

import qualified Statistics as Stats
import System.Environment (getArgs)

-- | Prices of one share, made up but repeatable.
prices :: Int -> [Double]
prices n = take n (walk 4711 100)
  where
    walk :: Int -> Double -> [Double]
    walk seed p =
      let seed' = (seed * 1103515245 + 12345) `mod` 2147483648
          change = fromIntegral (seed' `div` 4096 `mod` 2001 - 1000) / 10000
          p' = max 1 (p * (1 + change / 10))
       in p' : walk seed' p'

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 500000
  putStrLn ("mean price " ++ show (rounded (Stats.mean (prices n))))
  where
    rounded x = fromIntegral (round (x * 100) :: Int) / 100 :: Double
