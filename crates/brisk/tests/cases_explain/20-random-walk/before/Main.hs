module Main (main) where

import Control.Monad.ST
import Data.Bits (shiftR, xor, (.&.))
import Data.STRef
import System.Environment (getArgs)

-- | A drunk sailor on a grid, followed for a number of steps.

data Walk = Walk
  { east :: Int
  , north :: Int
  , farthest :: Int
  , home :: Int
  }

follow :: Int -> Walk
follow steps = runST $ do
  seed <- newSTRef 88172645463325252
  x <- newSTRef 0
  y <- newSTRef 0
  far <- newSTRef 0
  returns <- newSTRef 0
  let loop 0 = return ()
      loop k = do
        modifySTRef' seed advance
        s <- readSTRef seed
        case (s `shiftR` 20) .&. 3 of
          0 -> modifySTRef' x (+ 1)
          1 -> modifySTRef' x (subtract 1)
          2 -> modifySTRef' y (+ 1)
          _ -> modifySTRef' y (subtract 1)
        a <- readSTRef x
        b <- readSTRef y
        modifySTRef' far (max (abs a + abs b))
        if a == 0 && b == 0 then modifySTRef' returns (+ 1) else return ()
        loop (k - 1)
  loop steps
  Walk <$> readSTRef x <*> readSTRef y <*> readSTRef far <*> readSTRef returns

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
