module Main (main) where

import System.Environment (getArgs)

-- | How much of a maze can be reached, level by level from its corner.

data Cell = Cell
  { column :: !Int
  , row :: !Int
  }
  deriving (Eq, Ord)

data Walk = Walk
  { visited :: [Cell]
  , reached :: !Int
  , deepest :: !Int
  }

wall :: Cell -> Bool
wall (Cell x y) = (x * 13 + y * 29 + x * y) `mod` 7 == 3

inside :: Int -> Cell -> Bool
inside n (Cell x y) = x >= 0 && y >= 0 && x < n && y < n

ways :: Int -> Cell -> [Cell]
ways n (Cell x y) = filter open [Cell (x + 1) y, Cell x (y + 1), Cell (x - 1) y, Cell x (y - 1)]
  where
    open c = inside n c && not (wall c)

start :: Walk
start = Walk [] 0 0

wasHere :: Cell -> Walk -> Bool
wasHere c w = c `elem` visited w

enter :: Cell -> Walk -> Walk
enter c w = w {visited = c : visited w, reached = reached w + 1}

explore :: Int -> Int -> [Cell] -> Walk -> Walk
explore _ _ [] w = w
explore n depth level w = explore n (depth + 1) next w' {deepest = depth}
  where
    (next, w') = foldl visit ([], w) level
    visit (ahead, walk) c
      | wasHere c walk = (ahead, walk)
      | otherwise = (ways n c ++ ahead, enter c walk)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 130
      w = explore n 0 [Cell 0 0] start
  putStrLn ("reached " ++ show (reached w) ++ " of " ++ show (n * n))
  putStrLn ("depth   " ++ show (deepest w))
