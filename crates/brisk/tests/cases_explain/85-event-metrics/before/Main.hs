module Main (main) where

import Control.Monad (foldM)
import qualified Data.IntMap.Strict as IntMap
import System.Environment (getArgs)

import Metrics

-- | A cache that forgets everything when it is full.
type Cache = IntMap.IntMap Int

request :: Metrics -> Cache -> Int -> IO Cache
request m cache url =
  case IntMap.lookup url cache of
    Just size -> do
      hit m
      observe m size
      return cache
    Nothing -> do
      miss m
      let size  = 200 + url * 37 `rem` 1500
          kept  = if IntMap.size cache >= 64 then IntMap.empty else cache
      observe m size
      return $! IntMap.insert url size kept

traffic :: Int -> [Int]
traffic n = take n (map pick (iterate lcg 17))
  where
    lcg x = (x * 6364136223846793005 + 1442695040888963407) `mod` 9223372036854775807
    pick x = let y = (x `div` 65536) `mod` 100 in y * y `div` 90

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        _       -> 900000
  m <- newMetrics
  final <- foldM (request m) IntMap.empty (traffic n)
  s <- snapshot m
  print s
  putStrLn ("cached at the end: " ++ show (IntMap.size final))
