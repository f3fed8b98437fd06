module Main (main) where

import System.Environment (getArgs)
import Text.Printf (printf)

import Integrate

-- a spring that hardens, with friction and a periodic push
duffing :: Double -> Double -> Field
duffing damping push t x v = push * saw t - damping * v - x - 0.3 * x * x * x
  where saw s = let u = s / 5 in u - fromIntegral (truncate u :: Int) - 0.5

free :: Field
free _ x _ = negate (4 * x)

report :: String -> (Double, Phase) -> IO ()
report name (peak, Phase x v) = printf "%-8s x %10.5f  v %10.5f  widest %8.5f\n" name x v peak

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        a : _ -> read a
        []    -> 4000000
      h = 40 / fromIntegral n
  report "free" (trajectory free h n (Phase 1 0))
  report "duffing" (trajectory (duffing 0.1 1.5) h n (Phase 0 0.2))
