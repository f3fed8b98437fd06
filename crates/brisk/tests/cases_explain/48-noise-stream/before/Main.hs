module Main (main) where

import Noise (noise)
import System.Environment (getArgs)

data Queue = Queue { waiting :: !Int, longest :: !Int, lost :: !Int }

-- | A counter with room for 40 customers: more arrive than are served.
simulate :: Int -> Queue
simulate n = go n noise (Queue 0 0 0)
  where
    go k (u : us) q
      | k > 0 = go (k - 1) us (step u q)
    go _ _ q = q
    step u q
      | u < 0.5             = q { waiting = max 0 (waiting q - 1) }
      | waiting q < 40      = q { waiting = waiting q + 1
                                , longest = max (longest q) (waiting q + 1) }
      | otherwise           = q { lost = lost q + 1 }

-- | How even the noise is: the share of points inside the quarter circle.
quarterCircle :: Int -> Double
quarterCircle n = count (0 :: Int) n noise
  where
    count hits k (x : y : rest)
      | k > 0 = count (if x * x + y * y < 1 then hits + 1 else hits) (k - 1) rest
    count hits _ _ = fromIntegral hits / fromIntegral n

main :: IO ()
main = do
  args <- getArgs
  let n = case args of { a : _ -> read a; _ -> 4000000 }
      q = simulate n
  putStrLn ("longest queue: " ++ show (longest q))
  putStrLn ("customers lost: " ++ show (lost q))
  putStrLn ("quarter circle: " ++ show (quarterCircle (n `div` 2)))
