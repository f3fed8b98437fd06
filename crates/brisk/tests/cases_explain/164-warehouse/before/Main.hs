module Main (main) where

import Control.Monad.State.Strict
import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

import Command
import Plan

data Site = Site
  { position  :: !Shelf
  , travelled :: !Int
  , carried   :: !Int
  , stock     :: !(Map.Map Shelf Int)
  }

distance :: Shelf -> Shelf -> Int
distance (a, b) (c, d) = abs (a - c) + abs (b - d)

runRobot :: Robot a -> State Site a
runRobot (Drive to next) = do
  modify' $ \s -> s { position = to, travelled = travelled s + distance (position s) to }
  return next
runRobot (Pick n next) = do
  s <- get
  let here = Map.findWithDefault 0 (position s) (stock s)
      got = min n here
  put $! s { stock = Map.insert (position s) (here - got) (stock s) }
  return (next got)
runRobot (Deliver n next) = do
  modify' $ \s -> s { carried = carried s + n }
  return next

site :: Site
site = Site dock 0 0 (Map.fromList [((a, b), 400 + a * b) | a <- [1 .. 12], b <- [1 .. 9]])

orders :: Int -> [Order]
orders n = [Order (1 + x `mod` 12, 1 + x `mod` 9) (x `mod` 500) (1 + x `mod` 40) | x <- take n (iterate next 3)]
  where next s = (s * 16807) `mod` 2147483647

main :: IO ()
main = do
  [arg] <- getArgs
  let (short, s) = runState (interpret runRobot (planOrders (orders (read arg)))) site
  putStrLn ("short of      " ++ show short)
  putStrLn ("carried       " ++ show (carried s))
  putStrLn ("travelled     " ++ show (travelled s))
  putStrLn ("empty shelves " ++ show (Map.size (Map.filter (== 0) (stock s))))
