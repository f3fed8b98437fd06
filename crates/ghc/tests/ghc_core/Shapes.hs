{-# LANGUAGE GADTs, MagicHash, UnboxedTuples, UnboxedSums, TypeFamilies, DataKinds #-}
module Main (main, area, (<+>), größe) where

import Data.IORef
import GHC.Exts

data Shape = Circle !Double | Polygon [Int]

newtype Counter a = Counter { run :: Int -> (a, Int) }

data Typed a where
  Number :: Int -> Typed Int
  Truth :: Bool -> Typed Bool

area :: Shape -> Double
area (Circle r) = 3.25 * r * r
area (Polygon sides) = fromIntegral (sum sides)
{-# NOINLINE area #-}

(<+>) :: [a] -> [a] -> [a]
xs <+> ys = foldr (:) ys xs
{-# NOINLINE [1] (<+>) #-}
{-# RULES "right \"unit\"" [2] forall xs. xs <+> [] = xs #-}

größe :: (Num a, Ord a) => a -> a -> a
größe a b = if a > b then a * 2 else größe (a + 1) b
{-# SPECIALISE größe :: Int -> Int -> Int #-}

tick :: Int -> Counter Int
tick n = Counter (\s -> let s' = s * n + 1 in (s, s'))
{-# NOINLINE tick #-}

known :: Typed a -> a
known (Number n) = n + 1
known (Truth b) = not b

pick :: Int -> (# Int | Char #)
pick 0 = (# | 'x' #)
pick n = (# n | #)
{-# NOINLINE pick #-}

label :: Int -> Addr#
label 0 = "quote \" and \xff"#
label _ = "end Rec }"#

main :: IO ()
main = do
  total <- newIORef (0 :: Int)
  let loop 0 = return ()
      loop n = do
        modifyIORef' total (+ fst (run (tick n) (größe n 7)))
        case pick (n `rem` 3) of
          (# k | #) -> modifyIORef' total (+ k)
          (# | c #) -> modifyIORef' total (+ fromEnum c)
        loop (n - 1)
  loop (1000 :: Int)
  readIORef total >>= print
  print (area (Circle 2) + area (Polygon ([1 .. 10] <+> [4])), known (Number 3), known (Truth False))
  print (C# (indexCharOffAddr# (label 0) 6#))
