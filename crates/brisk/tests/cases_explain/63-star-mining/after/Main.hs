module Main (main) where

import Control.Monad (forM_, when)
import Data.IORef
import qualified Data.IntMap.Strict as IntMap
import System.Environment (getArgs)
import Text.Printf (printf)

import Universe

turn :: IORef Universe -> Int -> IO ()
turn ref t = do
  modifyIORef' ref tick
  let target = StarId ((t * 37) `mod` 500)
  modifyIORef' ref (overStar (mine (fromIntegral (t `mod` 10) / 4)) target)
  when (even t) $
    modifyIORef' ref (overStar (launch (t `mod` 3)) target)

main :: IO ()
main = do
  args <- getArgs
  let turns = case args of { [a] -> read a; _ -> 1500000 } :: Int
  ref <- newIORef (bigBang 500)
  forM_ [1 .. turns] (turn ref)
  u <- readIORef ref
  let stars = IntMap.elems (universeStars u)
  printf "after %d ticks\n" (universeTick u)
  printf "metal: %.2f\n" (sum (map starMetal stars))
  printf "ships: %d\n" (sum (map starShips stars))
  forM_ (take 3 stars) $ \s ->
    printf "%s (%c) %.2f\n" (starName s) (starClass s) (starMetal s)
