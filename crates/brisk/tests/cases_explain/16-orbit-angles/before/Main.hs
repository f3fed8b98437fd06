module Main (main) where

import Angle
import Data.List (foldl')
import System.Environment (getArgs)

-- | Planets on circles: how often each pair is seen close together.

data Planet = Planet
  { period :: !Double
  , offset :: !Angle
  }

planets :: [Planet]
planets = [Planet 88 0.3, Planet 224.7 1.1, Planet 365.2 2.2, Planet 687 4.0]

at :: Double -> Planet -> Angle
at day p = wrap (offset p + 2 * pi * day / period p)

pairs :: [a] -> [(a, a)]
pairs xs = concat [[(x, y) | y <- ys] | (x, ys) <- zip xs (drop 1 (iterate (drop 1) xs))]

data Count = Count !Int !Double

watch :: Int -> Count
watch days = foldl' night (Count 0 0) [1 .. days]
  where
    night count day = foldl' look count (pairs (map (at (fromIntegral day)) planets))
    look (Count meetings nearest) (a, b)
      | d < 0.01 = Count (meetings + 1) (nearest + d)
      | otherwise = Count meetings nearest
      where
        d = apart a b

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 120000
      Count meetings total = watch n
  putStrLn ("meetings " ++ show meetings)
  putStrLn ("mean     " ++ show (round (total * 100000 / fromIntegral (max 1 meetings)) :: Int))
