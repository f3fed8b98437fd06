module Main (main) where

import Script
import System.Environment (getArgs)

-- | The first n legs of a spiral; counts how often it looked north.
spiral :: Int -> Script Int
spiral 0 = pure 0
spiral n = do
  norths <- spiral (n - 1)
  forward (1 + n `div` 2)
  turn 1
  dir <- heading
  pure $! if dir == 1 then norths + 1 else norths

main :: IO ()
main = do
  args <- getArgs
  let legs = case args of
        [a] -> read a
        _ -> 4000
      (norths, end, way) = interpret (spiral legs)
  putStrLn $ "looked north " ++ show norths ++ " times"
  putStrLn $ "stopped at " ++ show end ++ " after " ++ show way ++ " steps"
