-- | The founding document's suite: the same benchmark nine times in a row, for four sizes.
module Main (main) where

import Criterion.Main (bench, bgroup, defaultMain, whnf)

import Copy (copy, ramp)

main :: IO ()
main = defaultMain =<< mapM nine [8192, 16384, 32768, 65536]
  where
    nine size = do
      numbers <- ramp size
      pure (bgroup (show size) [bench ("copy " ++ show place) (whnf copy numbers) | place <- [1 .. 9 :: Int]])
