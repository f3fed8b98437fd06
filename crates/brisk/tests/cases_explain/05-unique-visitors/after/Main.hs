module Main (main) where

import qualified Data.Set as Set
import System.Environment (getArgs)

data Visit = Visit
  { page :: Int
  , visitor :: Visitor
  }

data Visitor = Visitor
  { network :: Int
  , host :: Int
  }
  deriving (Eq, Ord, Show)

visits :: Int -> [Visit]
visits n = go n 99
  where
    go :: Int -> Int -> [Visit]
    go 0 _ = []
    go k seed =
      let seed' = (seed * 1103515245 + 12345) `mod` 2147483648
          r = seed' `div` 512
       in Visit (r `mod` 5) (Visitor (r `mod` 61) (r `div` 61 `mod` 47)) : go (k - 1) seed'

onPage :: Int -> [Visit] -> [Visit]
onPage p = filter ((== p) . page)

uniqueVisitors :: [Visit] -> [Visitor]
uniqueVisitors = go Set.empty . map visitor
  where
    go _ [] = []
    go seen (v : vs)
      | v `Set.member` seen = go seen vs
      | otherwise = v : go (Set.insert v seen) vs

busiestNetwork :: [Visitor] -> Int
busiestNetwork vs = snd (maximum [(length (filter ((== k) . network) vs), k) | k <- [0 .. 60]])

describe :: [Visit] -> Int -> String
describe vs p =
  "page " ++ show p
    ++ ": " ++ show (length unique)
    ++ " visitors, first " ++ show (take 1 unique)
    ++ ", network " ++ show (busiestNetwork unique)
  where
    unique = uniqueVisitors (onPage p vs)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 60000
      vs = visits n
  mapM_ (putStrLn . describe vs) [0 .. 4]
