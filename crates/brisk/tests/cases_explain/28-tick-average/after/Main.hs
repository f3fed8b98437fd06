module Main (main) where

import qualified Statistics as Stats
import System.Environment (getArgs)

-- | Trades of one share, made up but repeatable.
data Trade = Trade
  { price :: !Double
  , pieces :: !Int
  }

trades :: Int -> [Trade]
trades n = take n (walk 4711 100)
  where
    walk :: Int -> Double -> [Trade]
    walk seed p =
      let seed' = (seed * 1103515245 + 12345) `mod` 2147483648
          change = fromIntegral (seed' `div` 4096 `mod` 2001 - 1000) / 10000
          p' = max 1 (p * (1 + change / 10))
       in Trade p' (1 + seed' `mod` 50) : walk seed' p'

-- | Small trades do not move the market and are left out.
prices :: [Trade] -> [Double]
prices ts = [price t | t <- ts, pieces t > 5]

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 2000000
  putStrLn ("mean price " ++ show (rounded (Stats.mean (prices (trades n)))))
  where
    rounded x = fromIntegral (round (x * 100) :: Int) / 100 :: Double
