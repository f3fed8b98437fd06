module Main (main) where

import qualified Data.IntMap.Strict as IM
import           Data.List (foldl')
import           System.Environment (getArgs)

import           Colony

events :: Int -> [Event]
events n = go n 12345
  where
    go :: Int -> Int -> [Event]
    go 0 _ = []
    go k s =
      let s' = (s * 1103515245 + 12345) `mod` 2147483648
          i  = (s' `div` 64) `mod` 40
          q  = (s' `div` 4096) `mod` 9
          ev = case (s' `div` 1024) `mod` 3 of
                 0 -> Mined i (q + 3)
                 1 -> Settled i q
                 _ -> Shipped i q
      in ev : go (k - 1) s'

main :: IO ()
main = do
  [a] <- getArgs
  let colony = foldl' apply (newColony 40) (events (read a))
      top    = richest colony
  putStrLn (planetName top ++ " leads with " ++ show (ore top) ++ " tonnes")
  putStrLn ("settlers: " ++ show (sum (map settlers (IM.elems colony))))
