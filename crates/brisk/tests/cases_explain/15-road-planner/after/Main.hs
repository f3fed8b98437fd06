module Main (main) where

import qualified Data.IntMap.Strict as IntMap
import qualified Data.Set as Set
import System.Environment (getArgs)

-- | Shortest ways from one town through a country of towns on a grid.

type Town = Int

type Country = IntMap.IntMap [(Town, Int)]

data Step = Step
  { cost :: !Int
  , town :: !Town
  }
  deriving (Eq, Ord)

country :: Int -> Country
country side = IntMap.fromList [(i, roads i) | i <- [0 .. side * side - 1]]
  where
    roads i =
      [ (j, 1 + (i * 31 + j * 17) `mod` 23)
      | j <- [i - 1 | i `mod` side > 0] ++ [i + 1 | i `mod` side < side - 1]
          ++ [i - side | i >= side] ++ [i + side | i < side * (side - 1)]
      ]

type Frontier = Set.Set Step

emptyFrontier :: Frontier
emptyFrontier = Set.empty

add :: Frontier -> Step -> Frontier
add frontier s = Set.insert s frontier

nearest :: Frontier -> Maybe (Step, Frontier)
nearest = Set.minView

distances :: Country -> Town -> IntMap.IntMap Int
distances c from = go (add emptyFrontier (Step 0 from)) IntMap.empty
  where
    go frontier known = case nearest frontier of
      Nothing -> known
      Just (Step d t, rest)
        | t `IntMap.member` known -> go rest known
        | otherwise ->
            let open = [Step (d + w) u | (u, w) <- c IntMap.! t, u `IntMap.notMember` known]
             in go (foldl add rest open) (IntMap.insert t d known)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 110
      found = distances (country n) 0
  putStrLn ("towns    " ++ show (IntMap.size found))
  putStrLn ("farthest " ++ show (maximum (IntMap.elems found)))
  putStrLn ("total    " ++ show (sum (IntMap.elems found)))
