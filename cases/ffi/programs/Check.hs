-- | Whether copies are copies, and whether each is freed, once.
module Main (main) where

import Control.Monad (forM, forM_, replicateM_, unless, void)
import System.Exit (die)
import System.Mem (performGC)

import Copy

main :: IO ()
main = do
  forM_ [1, 2, 3, 1000, 16384, 65536] $ \n -> do
    original <- ramp n
    let expected = map fromIntegral [1 .. n]
    forM_ [("byFinalizer", byFinalizer), ("intoHaskell", intoHaskell), ("copy", pure . copy)] $ \(name, way) -> do
      copies <- forM [1 .. 3 :: Int] (const (way original))
      performGC
      found <- mapM toList copies
      check (name ++ " of " ++ show n) (all (== expected) found)
    freedAtOnce original
    void (allocatedOnly original)
    after <- toList original
    check ("the original of " ++ show n) (after == expected)

  numbers <- ramp 1000
  replicateM_ 5000 (void (countedCopy numbers))
  replicateM_ 3 performGC
  freed <- freesSoFar
  check ("5000 copies freed, not " ++ show freed) (freed == 5000)

  context <- leaveAHole 10 numbers
  dropContext context
  dropContext context
  where
    check what holds = unless holds (die ("error: wrong: " ++ what))
