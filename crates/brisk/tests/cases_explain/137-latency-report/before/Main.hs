module Main (main) where

import System.Environment (getArgs)
import AccessLog
import Latency

main :: IO ()
main = do
  [arg] <- getArgs
  let s = summarise (entries (read arg))
  putStrLn ("requests  " ++ show (count s))
  putStrLn ("mean      " ++ show (round (sumMs s / fromIntegral (count s)) :: Int) ++ " ms")
  putStrLn ("max       " ++ show (round (maxMs s) :: Int) ++ " ms")
  putStrLn ("over 1 s  " ++ show (overOne s))
