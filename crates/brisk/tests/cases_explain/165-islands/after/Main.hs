{-# LANGUAGE BangPatterns #-}
module Main (main) where

import Control.Monad
import Control.Monad.ST
import System.Environment (getArgs)

import UnionFind

data Survey = Survey
  { islands :: !Int
  , largest :: !Int
  , firstBig :: !(Maybe Int)
  }

next :: Int -> Int
next s = (s * 25214903917 + 11) `mod` 281474976710656

-- Build bridges between random islands, and tell when one group first holds
-- half of them.
survey :: Int -> Int -> Survey
survey n bridges = runST $ do
  forest <- newForest n
  let go !k !seed !left !big !best
        | k == bridges = return (Survey left best big)
        | otherwise = do
            let s1 = next seed
                s2 = next s1
                a = (s1 `div` 65536) `mod` n
                b = (s2 `div` 65536) `mod` n
            joined <- union forest a b
            size <- if joined then groupSize forest a else return 0
            let best' = max best size
                big' = case big of
                  Nothing | 2 * size >= n -> Just (k + 1)
                  _ -> big
            go (k + 1) s2 (if joined then left - 1 else left) big' best'
  go 0 42 n Nothing 1

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg :: Int
  forM_ [n `div` 2, n] $ \bridges -> do
    let s = survey n bridges
    putStrLn (show bridges ++ " bridges: " ++ show (islands s) ++ " groups, largest "
              ++ show (largest s) ++ maybe "" (\k -> ", half joined after " ++ show k) (firstBig s))
