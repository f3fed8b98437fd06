module Main (main) where

import qualified Data.ByteString.Char8 as B
import Data.List (foldl')
import qualified Data.Map.Strict as M
import System.Environment (getArgs)
import Feed
import Sample

data Summary = Summary
  { count   :: !Int
  , coldest :: !Int
  , warmest :: !Int
  , gust    :: !Int
  , latest  :: !Int
  }

summarise :: [Reading] -> M.Map B.ByteString Summary
summarise = foldl' add M.empty
  where
    add m r = M.insertWith merge (station r) (single r) m
    single r = Summary 1 (celsius r) (celsius r) (wind r) (minute r)
    merge (Summary a b c d e) (Summary a' b' c' d' e') =
      Summary (a + a') (min b b') (max c c') (max d d') (max e e')

main :: IO ()
main = do
  [arg] <- getArgs
  let table = summarise (parseFeed (sampleFeed (read arg)))
  mapM_ line (M.toList table)
  where
    line (name, Summary n lo hi g t) =
      putStrLn (B.unpack name ++ ": " ++ unwords (map show [n, lo, hi, g, t]))
