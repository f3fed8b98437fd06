module Image
  ( Image
  , gradient
  , pixel
  , blur
  , checksum
  ) where

import Data.List (foldl')

data Image = Image
  { width :: Int
  , height :: Int
  , rows :: [[Int]]
  }

generate :: Int -> Int -> (Int -> Int -> Int) -> Image
generate w h f = Image w h [[f x y | x <- [0 .. w - 1]] | y <- [0 .. h - 1]]

gradient :: Int -> Image
gradient n = generate n n (\x y -> (x * 7 + y * 13 + x * y) `mod` 256)

-- | The pixel at a place; places outside repeat the border.
pixel :: Int -> Int -> Image -> Int
pixel x y img = rows img !! clamp (height img) y !! clamp (width img) x
  where
    clamp size i = max 0 (min (size - 1) i)

blur :: Image -> Image
blur img = generate (width img) (height img) at
  where
    at x y = foldl' (+) 0 (neighbours x y) `div` 9
    neighbours x y = [pixel (x + dx) (y + dy) img | dy <- [-1, 0, 1], dx <- [-1, 0, 1]]

checksum :: Image -> Int
checksum = foldl' mix 5381 . concat . rows
  where
    mix h p = (h * 33 + p) `mod` 1000000007
