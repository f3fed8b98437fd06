module Main (main) where

import Control.Monad.State.Strict
import System.Environment (getArgs)
import Text.Printf (printf)
import Desk

simulate :: Int -> Stats
simulate n = stats (execState (replicateM_ n serve) (newDesk 42))

mean :: Int -> Int -> Double
mean total n = fromIntegral total / fromIntegral (max 1 n)

main :: IO ()
main = do
  [arg] <- getArgs
  let st = simulate (read arg)
  printf "served   %d\n" (served st)
  printf "wait     %.2f\n" (mean (totalWait st) (served st))
  printf "talk     %.2f\n" (mean (totalTalk st) (served st))
  printf "annoyed  %d\n" (angry st)
