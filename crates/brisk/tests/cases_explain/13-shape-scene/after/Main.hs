module Main (main) where

import Data.List (foldl')
import Shape
import System.Environment (getArgs)

scene :: Int -> [AnyShape]
scene n = map build [1 .. n]
  where
    build i
      | i `mod` 3 == 0 = circle (place i) (place (i * 7)) 1.5
      | i `mod` 3 == 1 = box (place i) (place (i * 5)) 2 3
      | otherwise = segment (place i) (place (i * 3)) 4
    place i = fromIntegral (i `mod` 97) :: Double

-- | One frame: every shape drifts; the frame's value is its total weight.
frame :: [AnyShape] -> Int -> ([AnyShape], Double)
frame shapes t = (moved, total)
  where
    moved = map (moveBy dx 0.5) shapes
    total = foldl' (\acc s -> acc + weight s) 0 moved
    dx = fromIntegral (t `mod` 3) * 0.25

animate :: Int -> [AnyShape] -> Double
animate frames = go 1 0
  where
    go t acc shapes
      | t > frames = acc
      | otherwise =
          let (moved, total) = frame shapes t
           in total `seq` go (t + 1) (acc + total) moved

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 4000
      total = animate n (scene 2000)
  putStrLn ("total " ++ show (round (total * 100) :: Int))
