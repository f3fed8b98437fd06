module Main (main) where

import Control.Concurrent
import Control.Monad
import System.Environment (getArgs)

import Bank

payday :: Int -> Int -> [Posting]
payday month n = [Posting i (1500 + (i * 173 + month * 29) `mod` 2400) | i <- [1 .. n]]

fees :: Int -> [Posting]
fees n = [Posting i (-12) | i <- [1 .. n], i `mod` 3 == 0]

inBackground :: IO () -> IO (MVar ())
inBackground job = do
  done <- newEmptyMVar
  _ <- forkIO (job >> putMVar done ())
  return done

audit :: String -> Branch -> Int -> IO ()
audit name branch n = do
  rows <- forM [1 .. n] (statement branch)
  putStrLn (name ++ ": " ++ show (sum (map fst rows)) ++ " in " ++ show n ++ " accounts, "
            ++ show (sum (map snd rows)) ++ " bookings, highest " ++ show (maximum (map fst rows)))

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg :: Int
      north = n `div` 2
      south = n - north
  branchNorth <- openBranch [1 .. north]
  branchSouth <- openBranch [1 .. south]
  forM_ [1, 2] $ \month -> do
    jobs <- sequence
      [ inBackground (postAll branchNorth (payday month north))
      , inBackground (postAll branchSouth (payday (month + 6) south))
      ]
    mapM_ takeMVar jobs
    postAll branchNorth (fees north)
    postAll branchSouth (fees south)
    putStrLn ("month " ++ show month)
    audit "  north" branchNorth north
    audit "  south" branchSouth south
