module Main (main) where

import Data.List (sortOn)
import qualified Data.IntMap.Strict as IntMap
import System.Environment (getArgs)

import Galaxy

data Order = Mine StarId Int | Visit StarId

stars :: Int
stars = 400

-- | The orders of the players, made up by a small generator.
orders :: Int -> [Order]
orders n = go n 12345
  where
    go :: Int -> Int -> [Order]
    go 0 _ = []
    go k seed
      | seed `mod` 5 == 0 = Visit sid : go (k - 1) seed'
      | otherwise         = Mine sid (1 + seed `mod` 7) : go (k - 1) seed'
      where
        seed' = (seed * 1103515245 + 12345) `mod` 2147483648
        sid = (seed `div` 64) `mod` stars

gameLoop :: Universe -> [Order] -> Universe
gameLoop u [] = u
gameLoop u (o : os) =
  let u' = perform o u
  in u' `seq` gameLoop u' os

perform :: Order -> Universe -> Universe
perform (Mine sid amount) = mineStar sid amount
perform (Visit sid)       = visitStar sid

report :: Universe -> [String]
report u =
  ("ticks " ++ show (universeTick u))
    : ("metal " ++ show (sum (map starMetal ss)))
    : ("calls " ++ show (sum (map starShips ss)))
    : [ starName s ++ " " ++ show (starMetal s) | s <- take 5 (sortOn starMetal ss) ]
  where
    ss = IntMap.elems (universeStars u)

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  mapM_ putStrLn (report (gameLoop (newUniverse stars) (orders n)))
