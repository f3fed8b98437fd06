{-# LANGUAGE BangPatterns #-}

module Main (main) where

import Data.Bits (shiftR, xor, (.&.))
import System.Environment (getArgs)

-- | A drunk sailor on a grid, followed for a number of steps.

data Walk = Walk
  { east :: Int
  , north :: Int
  , farthest :: Int
  , home :: Int
  }

follow :: Int -> Walk
follow = loop 88172645463325252 0 0 0 0
  where
    loop :: Int -> Int -> Int -> Int -> Int -> Int -> Walk
    loop !_ !x !y !far !returns 0 = Walk x y far returns
    loop seed x y far returns k = case (s `shiftR` 20) .&. 3 of
      0 -> arrive (x + 1) y
      1 -> arrive (x - 1) y
      2 -> arrive x (y + 1)
      _ -> arrive x (y - 1)
      where
        s = advance seed
        arrive a b = loop s a b (max far (abs a + abs b)) (returns + atHome a b) (k - 1)
    atHome a b = if a == 0 && b == 0 then 1 else 0

advance :: Int -> Int
advance s0 = s2 `xor` ((s2 * 32) .&. 0xFFFFFFFFFFFF)
  where
    s1 = s0 `xor` ((s0 * 8192) .&. 0xFFFFFFFFFFFF)
    s2 = s1 `xor` (s1 `shiftR` 7)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 24000000
      w = follow n
  putStrLn ("at       " ++ show (east w, north w))
  putStrLn ("farthest " ++ show (farthest w))
  putStrLn ("home     " ++ show (home w))
