-- Benchmarks whose results another run should repeat.
import Criterion.Main
import Data.List (foldl', sort)
import qualified Data.Map.Strict as Map

main :: IO ()
main = defaultMain
  [ bench "sum" $ whnf (\n -> foldl' (+) 0 [1 .. n]) (2000 :: Int)
  , bench "sort" $ nf (\n -> sort [(x * 7919) `mod` 1009 | x <- [1 .. n]]) (500 :: Int)
  , bench "map" $ whnf (\n -> Map.size (Map.fromList [(x * 7919 `mod` 1009, x) | x <- [1 .. n]])) (500 :: Int)
  , bench "show" $ nf (concatMap show) [1 .. 300 :: Int]
  , bench "reverse" $ nf reverse [1 .. 1000 :: Int]
  , bench "words" $ nf words (concat (replicate 200 "a bc def "))
  ]
