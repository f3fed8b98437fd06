module Main (main) where

import Control.Monad (forM_, when)
import Meter
import Request
import System.Environment (getArgs)

handle :: Meter -> Int -> IO ()
handle meter k = do
  let rq = request k
  observe meter rq
  when (millis rq == 976 && size rq > 5190) $
    putStrLn ("request " ++ show k ++ " was large and slow")

main :: IO ()
main = do
  args <- getArgs
  let n = maybe 400000 read (if null args then Nothing else Just (head args)) :: Int
  meter <- newMeter
  forM_ [1 .. n] (handle meter)
  t <- totals meter
  putStrLn ("served  " ++ show (served t))
  putStrLn ("failed  " ++ show (failed t))
  putStrLn ("bytes   " ++ show (traffic t))
  putStrLn ("slowest " ++ show (slowest t) ++ " ms")
