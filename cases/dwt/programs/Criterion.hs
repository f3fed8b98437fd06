-- | The benchmarks of 'Lines', for criterion.
module Main (main) where

import Control.Concurrent (runInUnboundThread, setNumCapabilities)
import Criterion.Main (bench, bgroup, defaultMain, envWithCleanup, whnfIO)

import Dwt.Lattice
import Dwt.Signal (signal)
import Ways

main :: IO ()
main = do
  several <- severalThreads
  -- See 'settled'; criterion measures all in the thread that it was started in.
  runInUnboundThread . defaultMain $
    [ bgroup ("2^" ++ show size) (map (one several (signal 1 (2 ^ size))) ways)
    | size <- [10 .. 22 :: Int]
    ]
  where
    one count samples way
      | threads way /= Single =
          envWithCleanup (setNumCapabilities count) (const (setNumCapabilities 1)) $ \_ ->
            bench (name way) (whnfIO (by way count daubechies12 samples))
      | otherwise = bench (name way) (whnfIO (by way 1 daubechies12 samples))
